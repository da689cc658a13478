/**
 * Ends a node's connection, with its lease if there is somebody to take it.
 *
 * @module
 */
import type { Clock } from '../../../core/foundation/clock.ts';
import { waitAtMost } from '../../../core/combinators/wait-at-most.ts';
import type { StopConnection } from '../../backend.ts';

/**
 * The lease goes with the connection: whoever asks now is not kept waiting for it to lapse. A silent engine confirms
 * nothing: then the lease lapses by itself, and the connection ends without it.
 *
 * @param connection Not used by anybody else any more.
 * @param clock Measures.
 * @param ms For the engine's answer.
 */
export async function closeConnection(connection: StopConnection, clock: Clock, ms: number): Promise<void> {
  const closing = closed(connection, true);
  const hasClosed = await waitAtMost(
    clock,
    ms,
    closing.then(() => true),
  );
  if (hasClosed !== true) void closed(connection, false);
}

/** Whatever a client does that is closed already. */
async function closed(connection: StopConnection, isReleased: boolean): Promise<void> {
  try {
    await connection.close(isReleased);
  } catch {
    // The lease lapses by itself.
  }
}
