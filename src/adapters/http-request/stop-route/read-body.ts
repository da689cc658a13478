/**
 * Reads what a client sends no further than it is wanted: so many bytes, in so much time.
 *
 * @module
 */
import { runUntilCancelled, type CancellationToken, type Clock } from '../../../core/inside.ts';
import { Refusal } from './stop-message.ts';

/** Collects bytes up to a limit. */
export interface ByteLimit {
  /** Adds a part; says once there are too many. */
  add(part: Uint8Array): Refusal | undefined;
  /** All of it, as UTF-8. */
  text(): string;
}

/** Makes an empty one. */
export function byteLimit(mostBytes: number): ByteLimit {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  return {
    add: (part) => {
      bytes += part.byteLength;
      if (bytes > mostBytes) return new Refusal(413, `the body is longer than ${String(mostBytes)} bytes`);
      parts.push(part);
      return undefined;
    },
    text: () => {
      const decoder = new TextDecoder();
      return parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode();
    },
  };
}

/** How far a body is read. */
export interface BodyLimits {
  readonly mostBytes: number;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Cancelled when nobody wants the body any more. */
  readonly token: CancellationToken;
}

/** Refuses what takes longer. */
export async function inTime<T>({ timeoutMs, clock, token }: BodyLimits, read: () => Promise<T>): Promise<T> {
  const outcome = await runUntilCancelled(token, read, { timeoutMs, clock, settle: 'abandon' });
  if (outcome.status === 'completed') return outcome.value;
  if (outcome.status === 'failed') throw outcome.error;
  throw new Refusal(408, 'the body did not come in time');
}
