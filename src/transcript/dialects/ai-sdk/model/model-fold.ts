/**
 * Takes the fold of a whole run apart: its replies one by one, and what the SDK's own tools had given back by then.
 *
 * @module
 */
import type { ToolOutcome } from '../../../from-core.ts';
import { field, isRecord, recordsIn } from '../../../reading/fields.ts';
import type { TurnRecord } from '../../rules.ts';
import type { AISDKPart } from '../message.ts';
import { callIdOf, nameOf } from './model-message.ts';

/** The same record; a partial of several steps is one for each reply, and results that no row tells of have one. */
export function unfolded(turn: TurnRecord): TurnRecord {
  const known = new Set(turn.outcomes.map(({ id }) => id));
  const rows: ToolOutcome[] = [];
  const partials = turn.partials.flatMap((partial) => {
    const list = isRecord(partial.value) ? field(partial.value, 'messages') : undefined;
    const messages = recordsIn(list);
    for (const message of messages) {
      const parts = field(message, 'role') === 'tool' ? recordsIn(field(message, 'content')) : [];
      rows.push(...parts.flatMap((part) => rowOf(part as AISDKPart) ?? []).filter(({ id }) => !known.has(id)));
    }
    const replies = messages.filter((message) => field(message, 'role') === 'assistant').slice(0, -1);
    return [...replies.map((message) => ({ ...partial, value: { message, isComplete: true } })), partial];
  });
  return rows.length === 0 && partials.length === turn.partials.length
    ? turn
    : { ...turn, partials, outcomes: [...turn.outcomes, ...rows] };
}

/** The row of a call that a result is of. */
function rowOf(part: AISDKPart): ToolOutcome | undefined {
  const [id, name] = [callIdOf(part), nameOf(part)];
  const output = field(part, 'output');
  if (part.type !== 'tool-result' || id === undefined || name === undefined || !isRecord(output)) return undefined;
  // The SDK starts calls while the reply still streams: one without a result may be running.
  const base = { id, name, call: { isSingle: true }, ms: 0 };
  const value = field(output, 'value');
  const type = field(output, 'type');
  if (type === 'execution-denied') return { ...base, status: 'declined' };
  if (type === 'error-text' || type === 'error-json') return { ...base, status: 'failed', error: value };
  return { ...base, status: 'completed', value: type === 'content' ? output : value };
}
