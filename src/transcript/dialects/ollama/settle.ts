/**
 * Makes a transcript of Ollama's legal: in the shape of Chat Completions, with ids that only this pass knows.
 *
 * @module
 */
import { settleOpenAIChat } from '../../chat/settle.ts';
import type { PartialOutput, ToolOutcome } from '../../from-core.ts';
import { field, isRecord, textIn } from '../../reading/fields.ts';
import { isComplete } from '../../reading/partials.ts';
import type { DialectResult, TurnRecord } from '../rules.ts';
import { callsOf, nameOf, plainMessage, replyOf, type OllamaChatMessage } from './message.ts';
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
  const settled = settleOpenAIChat(translation.toChat(plain, turn.note), {
    ...turn,
    ids: 'keep',
    outcomes: rowsByName(plain, turn),
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
 * goes to a call of its name, from the last one of the turn.
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
  /** The calls of the turn without ids of their own, by name. */
  const open = new Map<string, string[]>();
  messages.forEach((message, at) => {
    const calls = callsOf(message);
    idsOf(calls).forEach((id, i) => {
      const call = calls[i] as object;
      const name = nameOf(call);
      count(keyOf(name, id), 1);
      if (name === undefined || at < turnStart || textIn(field(call, 'id')) !== undefined) return;
      const ids = open.get(name);
      if (ids === undefined) open.set(name, [id]);
      else ids.push(id);
    });
  });
  const backwards = [...outcomes].reverse();
  const known = new Set(backwards.filter(({ id, name }) => count(keyOf(name, id), -1) > 0));
  /** How many calls of a name and an id, from the last, have their own row. */
  const spoken = new Map<string, number>();
  for (const { id, name } of known) spoken.set(keyOf(name, id), (spoken.get(keyOf(name, id)) ?? 0) + 1);
  const nextOf = (name: string): string | undefined => {
    const ids = open.get(name);
    for (let id = ids?.pop(); id !== undefined; id = ids?.pop()) {
      const left = spoken.get(keyOf(name, id)) ?? 0;
      if (left === 0) return id;
      spoken.set(keyOf(name, id), left - 1);
    }
    return undefined;
  };
  const rows = backwards.map((row): ToolOutcome => {
    const id = known.has(row) ? undefined : nextOf(row.name);
    return id === undefined ? row : { ...row, id };
  });
  return rows.reverse();
}

function keyOf(name: string | undefined, id: string): string {
  return JSON.stringify([name, id]);
}
