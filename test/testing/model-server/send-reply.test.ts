import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { deferred } from '../../../src/testing/fakes.ts';
import { openaiChatWire } from '../../../src/testing/model-server/wires/openai-chat-wire.ts';
import { RequestRecord } from '../../../src/testing/model-server/request-record.ts';
import { sendFailure, sendReply, type ReplyTarget } from '../../../src/testing/model-server/send-reply.ts';

/** A response that keeps what is written, and can be full. */
class FakeResponse extends EventEmitter {
  status = 0;
  text = '';
  full = false;
  ended = false;
  flushed = false;

  writeHead(status: number): void {
    this.status = status;
  }

  flushHeaders(): void {
    this.flushed = true;
  }

  write(text: string): boolean {
    this.text += text;
    return !this.full;
  }

  end(text: string, done: () => void): void {
    this.text += text;
    this.ended = true;
    done();
  }
}

function setUp(stream = true) {
  const response = new FakeResponse();
  const gone = new AbortController();
  const record = new RequestRecord(1, 'openai-chat', { model: 'm', stream }, {});
  let drops = 0;
  const target: ReplyTarget = {
    response: response as unknown as ServerResponse,
    record,
    wire: openaiChatWire,
    gone: gone.signal,
    changed: () => undefined,
    drop: () => {
      drops += 1;
    },
  };
  return { response, gone, record, target, drops: () => drops };
}

it('sendReply writes the whole stream and counts bytes and deltas', async () => {
  const { response, record, target } = setUp();
  await sendReply(target, { text: 'one two' });
  expect(response.text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(record).toMatchObject({ status: 200, deltasWritten: 2, bytesWritten: Buffer.byteLength(response.text) });
  expect(record.finishedAt).toBeDefined();
});

it('sendReply falls silent after so many deltas, without ending', async () => {
  const { response, record, target, drops } = setUp();
  await sendReply(target, { text: 'one two three', silentAfter: 2 });
  expect(record).toMatchObject({ deltasWritten: 2, finishedAt: undefined });
  expect([response.ended, drops()]).toEqual([false, 0]);
});

it.each([
  ['a stream', true],
  ['a reply in one piece', false],
])('sendReply ends the silence of %s once what it waits for has settled', async (_name, stream) => {
  const { response, record, target } = setUp(stream);
  const until = deferred();
  const sent = sendReply(target, { text: 'one two three', silentAfter: 2, silentUntil: until.promise });
  // The reply goes as far as it goes by itself: nothing of it waits for a timer.
  await new Promise(setImmediate);
  expect([record.deltasWritten, response.ended]).toEqual([stream ? 2 : 0, false]);
  until.reject(new Error('in whatever way'));
  await sent;
  expect([record.deltasWritten, response.ended]).toEqual([stream ? 3 : 0, true]);
});

it('sendReply drops the connection after so many deltas', async () => {
  const { response, record, target, drops } = setUp();
  await sendReply(target, { text: 'one two three', dropAfter: 0 });
  expect(record.deltasWritten).toBe(0);
  expect([response.ended, drops()]).toEqual([false, 1]);
});

it('sendReply waits while the socket is full', async () => {
  const { response, record, target } = setUp();
  response.full = true;
  const sent = sendReply(target, { text: 'one' });
  const waiting = new Promise((resolve) => response.once('newListener', resolve));
  await waiting;
  expect([response.flushed, record.deltasWritten]).toEqual([true, 0]);
  response.full = false;
  response.emit('drain');
  await sent;
  expect(record.deltasWritten).toBe(1);
  expect(response.listenerCount('drain')).toBe(0);
});

it.each([
  ['in a pause', { text: 'one', chunkMs: 60_000 }, false],
  ['before the headers', { text: 'one', delayMs: 60_000 }, false],
  ['in a silence', { text: 'one', silentAfter: 0, silentUntil: deferred().promise }, false],
  ['with a full socket', { text: 'one' }, true],
])('sendReply stops without an error when the client leaves %s', async (_name, reply, full) => {
  const { response, gone, record, target } = setUp();
  response.full = full;
  const sent = sendReply(target, reply);
  gone.abort();
  await sent;
  expect(record.deltasWritten).toBe(0);
  expect([response.ended, response.listenerCount('drain')]).toEqual([false, 0]);
});

it('sendReply sends nothing at all for silence', async () => {
  const { response, record, target } = setUp();
  await sendReply(target, { silent: true });
  expect([response.status, response.text, record.status]).toEqual([0, '', undefined]);
});

it('sendReply answers unstreamed requests in one piece', async () => {
  const { response, target } = setUp(false);
  await sendReply(target, { text: 'one' });
  expect(JSON.parse(response.text)).toMatchObject({ object: 'chat.completion' });
});

it('sendReply sends failures in the provider’s shape, with a message of its own if the script has none', () => {
  const { response, target } = setUp();
  sendFailure(target, { status: 503 });
  expect(response.status).toBe(503);
  expect(JSON.parse(response.text)).toMatchObject({ error: { message: 'Scripted error 503' } });
});
