/**
 * Makes a transcript of Ollama's legal: in the shape of Chat Completions, with ids that only this pass knows.
 *
 * @module
 */
import { settleOpenAIChat } from '../../chat/settle.ts';
import type { PartialOutput, ToolOutcome } from '../../from-core.ts';
import { field, isRecord, textIn } from '../../reading/fields.ts';
import { assignRows, type RecordableCall } from '../../reading/assign-rows.ts';
import { isComplete } from '../../reading/partials.ts';
import type { DialectResult, TurnRecord } from '../rules.ts';
import { argumentsOf, callsOf, nameOf, plainMessage, replyOf, type OllamaChatMessage } from './message.ts';
import type { PairedCall } from './pairing.ts';
import { idsOf, OllamaTranslation } from './translate.ts';

/** Makes a transcript of Ollama's legal. */
export function settleOllama(
  messages: readonly OllamaChatMessage[],
  turn: TurnRecord,
): DialectResult<OllamaChatMessage> {
  const plain = messages.map((message, at) => {
    const made = plainMessage(message);
    if (made !== message)
      turn.note(at, 'plain-message', 'made arguments objects and content text: the API takes no other');
    return made;
  });
  const translation = new OllamaTranslation();
  const outcomes = rowsByName(plain, turn);
  const isOfTurn = (call: PairedCall): call is PairedCall & { readonly name: string } =>
    call.at >= (turn.turnStart ?? 0) && call.name !== undefined;
  const rowsOf = (calls: readonly PairedCall[]): ReadonlyMap<PairedCall, ToolOutcome> =>
    assignRows(calls.filter(isOfTurn), outcomes, { isCut: () => false, areOfTurn: turn.turnStart !== undefined });
  const settled = settleOpenAIChat(translation.toChat(plain, turn.note, rowsOf), {
    ...turn,
    ids: 'keep',
    outcomes,
    partials: turn.partials.map((partial) => translated(partial, translation)),
  });
  return { messages: translation.toOllama(settled.messages) };
}

function translated(partial: PartialOutput, translation: OllamaTranslation): PartialOutput {
  const { value } = partial;
  const reply = replyOf(value);
  if (reply === undefined || typeof value === 'string') return partial;
  const message = translation.replyToChat(plainMessage(reply));
  const isDone = isRecord(value) && (isComplete(value) || field(value, 'done') === true);
  return { ...partial, value: { message, isComplete: isDone } };
}

/**
 * The rows under the ids that their calls have here. Whoever ran a call without an id may have made one up: such a row
 * goes to a call of its name that asks for the same, else to one of its name, from the last one of the turn.
 */
function rowsByName(
  messages: readonly OllamaChatMessage[],
  { outcomes, partials, turnStart = 0 }: TurnRecord,
): readonly ToolOutcome[] {
  if (outcomes.length === 0) return outcomes;
  /** How many calls have a name and an id. */
  const counts = new Map<string, number>();
  const count = (key: string, change: 1 | -1): number => {
    const before = counts.get(key) ?? 0;
    counts.set(key, before + change);
    return before;
  };
  for (const { value } of partials) {
    const message = replyOf(value);
    const calls = message === undefined ? [] : callsOf(message);
    idsOf(calls).forEach((id, i) => count(keyOf(nameOf(calls[i] as object), id), 1));
  }
  /** The calls of the turn without ids of their own, as the others take them: each by its tool. */
  const open: (RecordableCall & { readonly own: string })[] = [];
  messages.forEach((message, at) => {
    const calls = callsOf(message);
    idsOf(calls).forEach((own, i) => {
      const call = calls[i] as object;
      const name = nameOf(call);
      count(keyOf(name, own), 1);
      if (name === undefined || at < turnStart || textIn(field(call, 'id')) !== undefined) return;
      open.push({ id: name, own, at, name, input: argumentsOf(call) });
    });
  });
  const known = new Set([...outcomes].reverse().filter(({ id, name }) => count(keyOf(name, id), -1) > 0));
  /** How many calls of an id have a row that names it: the last ones. */
  const taken = new Map<string, number>();
  for (const { id, name } of known) taken.set(keyOf(name, id), (taken.get(keyOf(name, id)) ?? 0) + 1);
  const free = [...open].reverse().filter(({ name, own }) => {
    const left = taken.get(keyOf(name, own)) ?? 0;
    taken.set(keyOf(name, own), left - 1);
    return left <= 0;
  });
  const named = outcomes.map((row) => (known.has(row) ? row : { ...row, id: row.name }));
  const others = named.filter((row, i) => row !== outcomes[i]);
  const assigned = assignRows(free.reverse(), others, { isCut: () => false });
  const ids = new Map([...assigned].map(([call, row]) => [row, call.own]));
  return named.map((row, i) => {
    const id = ids.get(row);
    return id === undefined ? (outcomes[i] as ToolOutcome) : { ...row, id };
  });
}

function keyOf(name: string | undefined, id: string): string {
  return JSON.stringify([name, id]);
}
