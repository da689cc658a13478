/**
 * Makes the one legal response of a call: from what the transcript holds, or from the answer it is given.
 * Apart from the order of turns, which is another concern.
 *
 * @module
 */
import { failureText } from '../../words/answers.ts';
import type { Answer } from '../../words/values.ts';
import { partsText, plainValue, valueText, type ToolContent } from '../../words/values.ts';
import { distinct, field, isRecord, textIn } from '../../reading/fields.ts';
import type { LinkedResult } from '../../reading/links.ts';
import { responseOf } from './content.ts';

/** A response for a call that has none. */
export function resultFromAnswer(call: object, answer: Answer): object {
  return { functionResponse: { ...linkTo(call), response: bodyOf(answer) } };
}

/**
 * The API wants an object of plain data: a value that is none goes under `output`, words about what happened under
 * `error`.
 */
function bodyOf(answer: Answer): object {
  if (answer.status !== 'completed') return { error: answer.text };
  const { value, note, content } = answer;
  const more = note === undefined ? {} : { note };
  if (content !== undefined) return { [content.isError ? 'error' : 'output']: textOf(content), ...more };
  const plain = plainValue(value);
  if (isRecord(plain)) return note === undefined ? plain : { output: plain, note };
  return { output: Array.isArray(plain) ? plain : valueText(value), ...more };
}

function textOf(content: ToolContent): string {
  return content.isError ? failureText(content) : partsText(content.parts);
}

/** What names the call: its id, where the API gave one, and its name. */
function linkTo(call: object): object {
  const id = textIn(field(call, 'id'));
  return { ...(id === undefined ? {} : { id }), name: field(call, 'name') };
}

/**
 * One legal response of all that the transcript holds for a call. Different ones are kept side by side, because each is
 * something the model was told, or should have been.
 */
export function resultFromTranscript(call: object, found: readonly LinkedResult<object>[]): object {
  const [first] = found as readonly [LinkedResult<object>];
  const own = responseOf(first.result) as object;
  const all = found.map(({ result }) => field(responseOf(result) as object, 'response'));
  const several = distinct(all);
  let response = several.length > 1 ? { results: several } : all[0];
  if (!isRecord(response)) response = response === undefined || response === null ? {} : { output: response };
  const link = linkTo(call);
  const isLinked = Object.entries(link).every(([key, value]) => field(own, key) === value);
  if (isLinked && response === field(own, 'response')) return first.result;
  return { ...first.result, functionResponse: { ...own, ...link, response } };
}
