/**
 * Looks at a session by its record, and at the lease of whoever hosts it.
 *
 * Invariant: as with a stop, never more than is known.
 *
 * @module
 */
import type { SessionState, SessionStatus } from '../../sessions/session-status.ts';
import type { RunRecord, RunState } from '../record/run-record.ts';
import { viewStop } from '../record/stop-view.ts';
import type { Exchange } from './engine/exchange.ts';

const states: Readonly<Record<RunState, SessionState>> = { pending: 'absent', running: 'open', settled: 'closed' };

/** What is known of a session; rejects where the engine does not answer. */
export async function readStatus(exchange: Exchange, sessionId: string): Promise<SessionStatus> {
  const { record } = await exchange.read(sessionId, { isUrgent: true });
  if (record?.state !== 'running' || (await exchange.anyAlive([record.node], { isUrgent: true })))
    return view(sessionId, record);
  // Whoever ends in good order writes first and gives the lease back then: so look once more.
  const { record: again } = await exchange.read(sessionId, { isUrgent: true });
  const isSilent = again?.state === 'running' && again.node === record.node;
  return { ...view(sessionId, again), ...(isSilent && { state: 'silent' }) };
}

function view(sessionId: string, record: RunRecord | undefined): SessionStatus {
  if (record === undefined) return { sessionId, state: 'absent' };
  const last = record.stops.at(-1);
  const status = last === undefined ? 'lost' : viewStop(record, last.id).status;
  return {
    sessionId,
    state: states[record.state],
    ...(record.epoch > 0 && { epoch: record.epoch }),
    ...(last !== undefined && status !== 'lost' && { stop: { status, reason: last.reason } }),
  };
}
