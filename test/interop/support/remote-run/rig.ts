import type { TokenLike } from '../../../../src/index.ts';

/** One protocol, with its real client, against the machine. */
export interface RemoteRig {
  /** Starts a run under a token and waits for its end. */
  run(token: TokenLike | undefined, options?: { graceMs?: number; onNamed?: (id: string) => void }): Promise<unknown>;
  /** Attaches to a run by its name, as a process does that was started again. */
  attach(token: TokenLike | undefined, id: string): Promise<unknown>;
  /** Asks the other side, by the id. */
  cancel(id: string, context: { signal: AbortSignal }): Promise<unknown>;
  /** What a user writes without the door: the token's signal, handed to the client. */
  alone(signal: AbortSignal): Promise<unknown>;
  connections(): Promise<number>;
  kill(): Promise<void>;
}

export async function readAll(events: AsyncIterable<unknown>): Promise<string> {
  for await (const _ of events);
  return 'ended';
}
