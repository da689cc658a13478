/**
 * Where a history has what the model has handed out: a call by the id that was given to it and to no other one, and by its input where a
 * program gives ids of its own or the protocol has none. No place in the history and no count says whose a result is.
 *
 * @module
 */
import type { HistoryItem } from '../../model-server/reading/history.ts';
import type { ScriptedToolCall } from '../../model-server/script.ts';

/** A call as it was handed out. */
export type GivenCall = Required<ScriptedToolCall>;

/** The texts in a value. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** What a program adds to an input, or puts in another order, makes no other call of it. */
function hasInput(item: HistoryItem, { name, input }: GivenCall): boolean {
  const texts = textsIn(input);
  if (texts.length === 0) return item.name === name;
  return texts.every((text) => item.text.includes(text) || item.text.includes(JSON.stringify(text).slice(1, -1)));
}

/** The item that is a call; the latest one, if it is not known by its id. */
export function callIn(history: readonly HistoryItem[], given: GivenCall): HistoryItem | undefined {
  const calls = history.filter(({ kind }) => kind === 'call');
  return calls.find(({ callId }) => callId === given.id) ?? calls.filter((item) => hasInput(item, given)).at(-1);
}

/** Whether a result may be that of a call: by the id if both have one, else by the name. */
function fits(result: HistoryItem, call: HistoryItem): boolean {
  if (result.callId !== undefined && call.callId !== undefined) return result.callId === call.callId;
  return result.name === undefined || result.name === call.name;
}

/** The result of a call of the history: the first behind it that no other call of its step has taken. */
function answerOf(history: readonly HistoryItem[], wanted: HistoryItem): HistoryItem | undefined {
  const open: HistoryItem[] = [];
  let last: HistoryItem['role'] | undefined;
  for (const item of history) {
    if (item.kind === 'call') {
      // A new step: what had no answer until then gets none.
      if (last !== 'assistant') open.length = 0;
      open.push(item);
    } else if (item.kind === 'result') {
      const at = open.findIndex((call) => fits(item, call));
      if (at !== -1 && open.splice(at, 1)[0] === wanted) return item;
    }
    last = item.role;
  }
  return undefined;
}

/** The result of a call; `undefined` if the history has none, or not the call. */
export function resultIn(history: readonly HistoryItem[], given: GivenCall): HistoryItem | undefined {
  const own = history.find(({ kind, callId }) => kind === 'result' && callId === given.id);
  if (own !== undefined) return own;
  const call = callIn(history, given);
  return call === undefined ? undefined : answerOf(history, call);
}
