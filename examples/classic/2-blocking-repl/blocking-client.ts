/** A model client as some are: its only call blocks its thread until the answer is there, and takes no signal. */
import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads';

export interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

export interface Request {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly messages: readonly Message[];
}

/** A thread of its own does the HTTP, because Node has no call for it that waits. */
const http = `
const { workerData: { request, flag, port } } = require('node:worker_threads');
const send = async () => {
  const response = await fetch(request.baseUrl + '/v1/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': request.apiKey, 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ model: request.model, max_tokens: 4096, messages: request.messages }),
  });
  // Whatever stands between it and us may answer with a page.
  const body = await response.json().catch(() => undefined);
  if (!response.ok) throw new Error('the model answered ' + response.status + ': ' + (body?.error?.message ?? ''));
  if (!Array.isArray(body?.content)) throw new Error('what came is no answer of a model');
  return body.content.map((block) => block.text ?? '').join('');
};
const done = (result) => {
  port.postMessage(result);
  Atomics.store(flag, 0, 1);
  Atomics.notify(flag, 0);
};
send().then((text) => done({ text }), (error) => done({ error: (error.cause ?? error).message }));
`;

/** Asks the model; nothing else on this thread runs until it has answered. */
export default function ask(request: Request): string {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  const { port1, port2 } = new MessageChannel();
  const worker = new Worker(http, {
    eval: true,
    workerData: { request, flag, port: port2 },
    transferList: [port2],
  });
  Atomics.wait(flag, 0, 0);
  const { message } = receiveMessageOnPort(port1) as { message: { text: string } | { error: string } };
  port1.close();
  worker.unref();
  if ('error' in message) throw new Error(message.error);
  return message.text;
}
