/**
 * Brings the part of one call to an end: from what it holds already, or from the answer it is given.
 * Apart from the walk over messages, which is another concern.
 *
 * @module
 */
import { failureText, notBlank } from '../../../words/answers.ts';
import type { Answer } from '../../../words/values.ts';
import { plainValue, valueText } from '../../../words/values.ts';
import { field, isJsonObject, parseRecord, textIn, without } from '../../../reading/fields.ts';
import type { AISDKPart } from '../message.ts';
import { approvalOf, isFinished, isServerCall, nameOf, stateOf, wholeInput } from './ui-message.ts';

/** What belongs to the end of a call, in whatever state it was. */
const ends = ['state', 'input', 'output', 'errorText', 'preliminary', 'rawInput', 'inputEncoding', 'approval'];

/** The part with an end of its own in place of what it had. */
function ended(part: AISDKPart, end: Readonly<Record<string, unknown>>): AISDKPart {
  const kept = Object.entries(part).filter(([name]) => !ends.includes(name));
  const made = { ...Object.fromEntries(kept), input: wholeInput(part) ?? {}, ...end };
  return withObjectInput(made as unknown as AISDKPart);
}

/** The part of a call with this answer for its end. */
export function partFromAnswer(part: AISDKPart, answer: Answer): AISDKPart {
  const approval = approvalOf(part);
  const isGranted = approval !== undefined && field(approval, 'approved') === true;
  const granted = isGranted ? { approval } : {};
  if (answer.status === 'completed') {
    const { value, content } = answer;
    if (content?.isError === true) {
      return ended(part, { state: 'output-error', errorText: failureText(content), ...granted });
    }
    // A page shows it as its tool gave it, and it is written as JSON all the same.
    return ended(part, { state: 'output-available', output: plainValue(value) ?? null, ...granted });
  }
  if (answer.status === 'declined' && textIn(approval && field(approval, 'id')) !== undefined) {
    return ended(part, { state: 'output-denied', approval: { ...approval, approved: false, reason: answer.text } });
  }
  return ended(part, { state: 'output-error', errorText: answer.text, ...granted });
}

/** The part with an object for its input; a text that is none stays where the SDK keeps such, and sends it if there is no other. */
export function withObjectInput(part: AISDKPart): AISDKPart {
  const isError = stateOf(part) === 'output-error';
  const input = field(part, 'input') ?? (isError ? field(part, 'rawInput') : undefined);
  if (input === undefined || isJsonObject(input)) return part;
  const parsed = typeof input === 'string' ? parseRecord(input) : undefined;
  const raw = parsed === undefined && isError ? { rawInput: input } : {};
  const whole: AISDKPart & Readonly<Record<string, unknown>> = { ...part, input: parsed ?? {}, ...raw };
  return whole;
}

/** The part with an end that the SDK's validator takes; the same object if it has one. */
export function withLegalEnd(part: AISDKPart): AISDKPart {
  const state = stateOf(part);
  // JSON has left it out, of a tool that returned nothing.
  if (state === 'output-available' && !('output' in part)) return withLegalEnd(withNothing(part));
  const approved = field(approvalOf(part) ?? { approved: true }, 'approved');
  const given = field(part, 'errorText');
  const errorText = notBlank(textIn(given) ?? '');
  const isSilent = state === 'output-error' && errorText !== given;
  if (!isFinished(part) || (!isSilent && approved === (state !== 'output-denied'))) return part;
  const rest = without(part, 'approval');
  if (state === 'output-available') return rest;
  return { ...rest, state: 'output-error', errorText } as AISDKPart;
}

/** Nothing for an output, as the SDK tells it to the model. */
function withNothing(part: AISDKPart): AISDKPart {
  const whole: AISDKPart & { readonly output: unknown } = { ...part, output: null };
  return whole;
}

/**
 * Which of two parts with one id stays: the finished one, else the first. Two tools, two inputs or two results are two
 * calls, as are one of ours and one of the provider's.
 *
 * @returns `undefined` if both have to stay.
 */
export function betterOf(first: AISDKPart, second: AISDKPart): AISDKPart | undefined {
  const differ = (name: string): boolean => valueText(field(first, name)) !== valueText(field(second, name));
  if (isServerCall(first) !== isServerCall(second) || nameOf(first) !== nameOf(second)) return undefined;
  // What still streams may become anything.
  const isOpen = [first, second].some((part) => stateOf(part) === 'input-streaming');
  if (!isOpen && differ('input')) return undefined;
  if (!isFinished(second)) return first;
  if (!isFinished(first)) return second;
  return differ('output') || differ('errorText') ? undefined : first;
}
