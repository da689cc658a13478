/**
 * What the adapters of frameworks tell a conversation, at the boundary of the model.
 *
 * @module
 */
import type { Interjection, LoopRecorder, ToldResult, Turn } from '../../from-core.ts';
import type { TurnState } from '../entries.ts';
import { callModel, type ModelCallHost } from '../model-call.ts';

/** What a recorder needs of its conversation. */
export interface RecorderHost<M> extends ModelCallHost<M> {
  /** An id for a call of which nobody knows yet. */
  reserveId(given: string): string;
  /** What a framework told its model of a call. */
  told(id: string, result: ToldResult, state: TurnState): void;
  /** A framework has begun a call. */
  began(id: string): void;
  /** Changes the message that holds a call. */
  amend(id: string, change: (message: M) => M): void;
}

/** The recorder of one turn. */
export function recorderFor<M>(
  host: RecorderHost<M>,
  turn: Turn,
  state: TurnState,
): Omit<LoopRecorder, 'turn' | 'dialect'> {
  const known = new WeakSet<Interjection>();
  return {
    callId: (given) => host.reserveId(given),
    model: (call, options, reply) => callModel({ host, turn, state, reply }, call, options),
    asked: () => void host.tell(),
    read: (messages) => {
      const fresh = messages.filter((one) => !known.has(one));
      for (const one of fresh) known.add(one);
      host.read(fresh, state);
    },
    told: (id, result) => {
      host.told(id, result, state);
    },
    began: (id) => {
      host.began(id);
    },
    amend: (id, change) => {
      host.amend(id, change as (message: M) => M);
    },
  };
}
