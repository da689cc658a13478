/**
 * Makes the one legal output of a call, of the kind that the call wants: from what the transcript holds, or from the
 * answer it is given.
 * Apart from the order of items, which is another concern.
 *
 * @module
 */
import { contentOf, failureText } from '../words/answers.ts';
import type { Answer } from '../words/values.ts';
import { partsText, valueText, type ToolContent } from '../words/values.ts';
import { distinct, field, isRecord, recordsIn } from '../reading/fields.ts';
import { askText, isPartType, outputTypeOf, typeOf, type OpenAIResponsesItem } from './item.ts';

/** The kinds of content part that an output may hold as they are, by one field that each has at least. */
const partFields: ReadonlyMap<unknown, readonly string[]> = new Map([
  ['input_text', ['text']],
  ['input_image', ['image_url', 'file_id']],
  ['input_file', ['file_id', 'file_data', 'file_url']],
]);

/**
 * An output for a call that has none; where a program made the call, it goes to that. A picture of the screen has no place for
 * words: they stand behind it.
 */
export function resultFromAnswer(
  call: OpenAIResponsesItem,
  id: string,
  answer: Answer,
): readonly OpenAIResponsesItem[] {
  const own = withCaller(plainResult(typeOf(call), id, answer), call);
  if (call.type !== 'computer_call' || (answer.status === 'completed' && screenIn(answer.value))) return [own];
  const said = answer.status === 'completed' ? valueText(answer.value) : answer.text;
  return [own, askText(`[${id}: ${said}]`)];
}

/** A picture of nothing, where there is none of the screen: OpenAI's own loop sends it for a call that was refused. */
const NOTHING =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==';

/** What a tool gives for the screen: its picture as the API has it, or as an address that holds it. */
function screenIn(value: unknown): object | undefined {
  if (isRecord(value) && field(value, 'type') === 'computer_screenshot') return value;
  return typeof value === 'string' && value.startsWith('data:image/') ? screen(value) : undefined;
}

function screen(url: string): object {
  return { type: 'computer_screenshot', image_url: url };
}

function plainResult(type: string, id: string, answer: Answer): OpenAIResponsesItem {
  if (answer.status !== 'completed') return output(type, id, answer.text, false);
  const content = contentOf(answer);
  if (content === undefined || isContent(answer.value)) return output(type, id, withNote(answer), true);
  if (content.isError) return output(type, id, `This call failed: ${failureText(content)}`, false);
  const isText = content.parts.every((part) => part.type === 'text');
  return output(type, id, isText || !takesParts.has(type) ? partsText(content.parts) : partsFrom(content), true);
}

function withCaller(item: OpenAIResponsesItem, call: OpenAIResponsesItem): OpenAIResponsesItem {
  const caller = field(call, 'caller') ?? undefined;
  return caller === undefined ? item : made({ ...item, caller });
}

/** The calls whose output may be a list of content parts. */
const takesParts: ReadonlySet<string> = new Set(['function_call', 'custom_tool_call']);

function partsFrom({ parts }: ToolContent): readonly object[] {
  return parts.map((part) =>
    part.type === 'text'
      ? { type: 'input_text', text: part.text }
      : { type: 'input_image', detail: 'auto', image_url: `data:${part.mimeType};base64,${part.data}` },
  );
}

function withNote({ value, note }: Answer & { readonly status: 'completed' }): unknown {
  return note === undefined || !Array.isArray(value)
    ? value
    : [...(value as unknown[]), { type: 'input_text', text: note }];
}

function output(type: string, id: string, value: unknown, isDone: boolean): OpenAIResponsesItem {
  const base = { type: outputTypeOf(type), call_id: id };
  switch (type) {
    case 'shell_call':
      return made({ ...base, output: isShellOutput(value) ? value : [shellOutput(valueText(value), isDone)] });
    case 'apply_patch_call':
      return made({ ...base, status: isDone ? 'completed' : 'failed', output: valueText(value) });
    case 'tool_search_call':
      // It has no place for words: that nothing was found is all that can be said.
      return made({
        ...base,
        execution: 'client',
        status: isDone ? 'completed' : 'incomplete',
        tools: Array.isArray(value) ? value : [],
      });
    case 'local_shell_call':
      return made({ ...base, id, output: valueText(value) });
    case 'computer_call':
      return made({ ...base, output: screenIn(value) ?? screen(NOTHING) });
    default:
      return made({ ...base, output: isContent(value) ? value : valueText(value) });
  }
}

/** What a shell tool hands back already; its words go where an error goes. */
function shellOutput(text: string, isDone: boolean): object {
  return {
    stdout: isDone ? text : '',
    stderr: isDone ? '' : text,
    outcome: { type: 'exit', exit_code: isDone ? 0 : 1 },
  };
}

function isShellOutput(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => isRecord(one) && isRecord(field(one, 'outcome')));
}

function isContent(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((part) => isRecord(part) && isPart(part));
}

function isPart(part: object): boolean {
  const wanted = partFields.get(field(part, 'type')) ?? [];
  return wanted.some((name) => typeof field(part, name) === 'string');
}

/**
 * One legal output of all that the transcript holds for a call. Different outputs of one call are joined in their order,
 * because each is something the model was told, or should have been.
 */
export function resultFromTranscript(
  type: string,
  id: string,
  found: readonly OpenAIResponsesItem[],
): OpenAIResponsesItem {
  // What the screen showed last: an earlier picture of it, or words, are not what the call asked for.
  if (type === 'computer_call') return found.filter(isPicture).at(-1) ?? output(type, id, undefined, false);
  const legal = found.map((one) => ofKind(type, id, one));
  const [kept] = legal as [OpenAIResponsesItem];
  const several = distinct(legal.map((one) => field(one, 'output')));
  return several.length === 1 ? kept : made({ ...kept, output: joined(several) });
}

/** Whether this is the output of a computer call: a picture of the screen. */
function isPicture(item: OpenAIResponsesItem): boolean {
  return item.type === 'computer_call_output' && isRecord(field(item, 'output'));
}

/** An output as the call wants it: of its kind, and with something in it. */
function ofKind(type: string, id: string, result: OpenAIResponsesItem): OpenAIResponsesItem {
  const value = field(result, 'output');
  if (typeOf(result) !== outputTypeOf(type)) {
    const text = recordsIn(value)
      .map((part) => field(part, 'text') ?? field(part, 'stdout'))
      .join('\n');
    return output(type, id, text === '' ? value : text, field(result, 'status') !== 'failed');
  }
  if (isLegal(type, result)) return result;
  return made({ ...result, ...output(type, id, value, field(result, 'status') === 'completed') });
}

function isLegal(type: string, result: OpenAIResponsesItem): boolean {
  const value = field(result, 'output');
  switch (type) {
    case 'tool_search_call':
      return Array.isArray(field(result, 'tools'));
    case 'shell_call':
      return isShellOutput(value);
    case 'apply_patch_call':
      return ['completed', 'failed'].includes(String(field(result, 'status')));
    default:
      return typeof value === 'string' || (Array.isArray(value) && value.length > 0 && value.every(isPartOfKind));
  }
}

/** Whether this is a part of a content, by its type; everything else is what a tool returned. */
function isPartOfKind(part: unknown): boolean {
  return isRecord(part) && isPartType(field(part, 'type'));
}

/** Texts as one text, lists as one list. */
function joined(values: readonly unknown[]): unknown {
  if (values.every((value) => typeof value === 'string' || value === undefined)) {
    return values.filter((value) => value !== '' && value !== undefined).join('\n\n');
  }
  return values.flatMap((value) =>
    Array.isArray(value)
      ? (value as unknown[])
      : value === '' || value === undefined
        ? []
        : [{ type: 'input_text', text: value }],
  );
}

/** Named so that a literal with more fields than every item has needs no cast. */
function made(item: OpenAIResponsesItem & Readonly<Record<string, unknown>>): OpenAIResponsesItem {
  return item;
}
