/**
 * Sends one reply down one socket at its pace, and writes down what went out and whether the client stayed.
 *
 * @module
 */
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { now, type RequestRecord } from './request-record.ts';
import type { CheckedReply, ModelAnswer, ModelFailure } from './script.ts';
import { planAnswer, type PlannedAnswer, type Wire } from './wires/wire.ts';

/** What a reply is sent through. */
export interface ReplyTarget {
  readonly response: ServerResponse;
  readonly record: RequestRecord;
  readonly wire: Wire;
  /** Aborted when the connection ends, from either side: no pause outlives it. */
  readonly gone: AbortSignal;
  /** Called after every change of the record. */
  readonly changed: () => void;
  /** Destroys the connection from our side, so that the client is not blamed for it. */
  readonly drop: () => void;
}

/** Sends a reply; resolves when all of it is handed over, or nothing more will be. Never rejects for a client that left. */
export async function sendReply(target: ReplyTarget, reply: CheckedReply): Promise<void> {
  try {
    if ('silent' in reply) return; // the connection ends when the client or the server leaves
    await pause(target, reply.delayMs);
    if ('status' in reply) sendFailure(target, reply);
    else if (target.record.stream) await sendStream(target, reply);
    else await sendWhole(target, reply);
  } catch (error) {
    // A pause or a full socket cut short by the client's leaving is what this server is for.
    if (!target.gone.aborted) throw error;
  }
}

/** The error body of the provider, for a refusal by the rules as for a scripted failure. */
export function sendFailure(target: ReplyTarget, failure: ModelFailure): void {
  const { wire, record } = target;
  const body = wire.failure(failure.status, failure.message ?? `Scripted error ${String(failure.status)}`, record.n);
  sendHead(target, failure.status, { 'content-type': 'application/json', ...failure.headers });
  finish(target, JSON.stringify(body));
}

async function sendWhole(target: ReplyTarget, answer: ModelAnswer): Promise<void> {
  const plan = planned(target, answer);
  await pause(target, (answer.chunkMs ?? 0) * deltaCount(plan));
  if (answer.silentAfter !== undefined) return;
  if (answer.dropAfter !== undefined) {
    target.drop();
    return;
  }
  sendHead(target, 200, { 'content-type': 'application/json' });
  finish(target, JSON.stringify(target.wire.whole(plan, target.record.body)));
}

async function sendStream(target: ReplyTarget, answer: ModelAnswer): Promise<void> {
  const { record, wire } = target;
  const plan = planned(target, answer);
  sendHead(target, 200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  for (const chunk of wire.stream(plan, record.body)) {
    if (chunk.isDelta) {
      if (record.deltasWritten === answer.silentAfter) return;
      if (record.deltasWritten === answer.dropAfter) {
        target.drop();
        return;
      }
      await pause(target, answer.chunkMs);
    }
    await write(target, chunk.text);
    if (chunk.isDelta) record.deltasWritten += 1;
    target.changed();
  }
  finish(target, '');
}

function planned(target: ReplyTarget, answer: ModelAnswer): PlannedAnswer {
  const { record, wire } = target;
  return planAnswer(answer, wire, record.n, record.model, record.receivedAt);
}

function deltaCount(plan: PlannedAnswer): number {
  return plan.parts.reduce((sum, { block }) => sum + block.pieces.length, 0);
}

async function pause(target: ReplyTarget, ms: number | undefined): Promise<void> {
  target.gone.throwIfAborted();
  if (ms !== undefined && ms > 0) await sleep(ms, undefined, { signal: target.gone });
}

function sendHead(target: ReplyTarget, status: number, headers: Readonly<Record<string, string>>): void {
  target.record.status = status;
  target.response.writeHead(status, { ...headers, 'request-id': `req_${String(target.record.n)}` });
  target.response.flushHeaders();
  target.changed();
}

/** Waits for a full socket to drain: a client that does not read must not fill the server's memory. */
async function write(target: ReplyTarget, text: string): Promise<void> {
  target.gone.throwIfAborted();
  target.record.bytesWritten += Buffer.byteLength(text);
  if (target.response.write(text)) return;
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      target.response.off('drain', done);
      reject(target.gone.reason as Error);
    };
    const done = (): void => {
      target.gone.removeEventListener('abort', stop);
      resolve();
    };
    target.response.once('drain', done);
    target.gone.addEventListener('abort', stop, { once: true });
  });
}

function finish(target: ReplyTarget, text: string): void {
  const { record, response, gone, changed } = target;
  if (gone.aborted) return;
  record.bytesWritten += Buffer.byteLength(text);
  response.end(text, () => {
    record.finishedAt = now();
    changed();
  });
}
