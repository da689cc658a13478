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
  if (answer.silentAfter !== undefined && !(await endsSilence(target, answer))) return;
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
      if (record.deltasWritten === answer.silentAfter && !(await endsSilence(target, answer))) return;
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

/** Whether a silence has an end; it is over by then. */
async function endsSilence(target: ReplyTarget, { silentUntil }: ModelAnswer): Promise<boolean> {
  if (silentUntil === undefined) return false;
  await unlessGone(target, (done) => {
    void Promise.resolve(silentUntil).then(done, done);
    return () => undefined;
  });
  return true;
}

/**
 * Waits for what calls `done`.
 *
 * @param listen Begins to wait, and returns what ends that.
 * @throws Whatever ended the connection, if that came first.
 */
async function unlessGone({ gone }: ReplyTarget, listen: (done: () => void) => () => void): Promise<void> {
  gone.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const leave = (): void => {
      forget();
      reject(gone.reason as Error);
    };
    const forget = listen(() => {
      gone.removeEventListener('abort', leave);
      resolve();
    });
    gone.addEventListener('abort', leave, { once: true });
  });
}

function sendHead(target: ReplyTarget, status: number, headers: Readonly<Record<string, string>>): void {
  target.record.status = status;
  target.response.writeHead(status, { ...headers, 'request-id': `req_${String(target.record.n)}` });
  target.response.flushHeaders();
  target.changed();
}

/** Waits for a full socket to drain: a client that does not read must not fill the server's memory. */
async function write(target: ReplyTarget, text: string): Promise<void> {
  const { gone, record, response } = target;
  gone.throwIfAborted();
  record.bytesWritten += Buffer.byteLength(text);
  if (response.write(text)) return;
  await unlessGone(target, (done) => {
    response.once('drain', done);
    return () => response.off('drain', done);
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
