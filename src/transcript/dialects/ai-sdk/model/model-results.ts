/**
 * Makes the one legal tool result of a call: from what the transcript holds, or from the answer it is given.
 * Apart from the order of messages, which is another concern.
 *
 * @module
 */
import { contentOf, failureText, notBlank } from '../../../words/answers.ts';
import type { Answer } from '../../../words/values.ts';
import { partsText, plainValue, valueText, type ToolContent } from '../../../words/values.ts';
import { distinct, field, isRecord, without } from '../../../reading/fields.ts';
import type { LinkedResult, Site } from '../../../reading/links.ts';
import type { AISDKPart } from '../message.ts';

type Output = Readonly<Record<string, unknown>> & { readonly type: string };

/** A result for a call that has none. */
export function resultFromAnswer({ id, name }: { id: string; name: string }, answer: Answer): AISDKPart {
  if (answer.status === 'completed') {
    // The output itself, as a tool's own `toModelOutput` gives it.
    if (
      answer.isRendered === true &&
      isRecord(answer.value) &&
      hasOutput({ type: '', output: answer.value } as AISDKPart)
    ) {
      return result(id, name, answer.value as Output);
    }
    const content = isContentOutput(answer.value) ? undefined : contentOf(answer);
    return result(id, name, content === undefined ? outputOf(answer.value) : contentOutput(content));
  }
  const { status, text } = answer;
  const isDeclined = status === 'declined';
  return result(
    id,
    name,
    isDeclined ? { type: 'execution-denied', reason: text } : { type: 'error-text', value: text },
  );
}

/** A no to what the provider asks: it has run nothing. */
export function denial(approvalId: unknown, answer: Answer): AISDKPart {
  const reason = answer.status === 'completed' ? undefined : answer.text;
  const part = { type: 'tool-approval-response', approvalId, approved: false, reason, providerExecuted: true } as const;
  return part;
}

/**
 * One legal result of all that the transcript holds for a call. Different results of one call are joined in their order,
 * because each is something the model was told, or should have been.
 */
export function resultFromTranscript({ name, results: found }: Site<AISDKPart>): AISDKPart {
  const [first] = found as [LinkedResult<AISDKPart>];
  const outputs = found.map(legalOutput);
  const several = distinct(outputs);
  const output = several.length > 1 ? join(several) : (outputs[0] as Output);
  if (output === field(first.result, 'output')) return first.result;
  return { ...without(first.result, 'result'), toolName: name, output } as AISDKPart;
}

/** Whether a result says something in a form that the SDK knows, and no provider refuses. */
export function hasOutput(part: AISDKPart): boolean {
  const output = field(part, 'output');
  if (!isRecord(output)) return false;
  const value = field(output, 'value');
  switch (field(output, 'type')) {
    case 'error-text':
      return typeof value === 'string' && notBlank(value) === value;
    case 'text':
      return typeof value === 'string';
    case 'json':
    case 'error-json':
      return value !== undefined;
    case 'content':
      return Array.isArray(value);
    default:
      return field(output, 'type') === 'execution-denied';
  }
}

function legalOutput({ result: part }: LinkedResult<AISDKPart>): Output {
  const given = field(part, 'output');
  if (hasOutput(part)) return given as Output;
  if (isRecord(given) && field(given, 'type') === 'error-text' && typeof field(given, 'value') === 'string') {
    return { ...given, type: 'error-text', value: notBlank('') };
  }
  const output = given ?? field(part, 'result');
  const held = isRecord(output) && typeof field(output, 'type') === 'string' ? field(output, 'value') : undefined;
  return outputOf(held ?? output);
}

/** Any value in the form that results have: a text as text, content as it is, everything else as JSON. */
function outputOf(value: unknown): Output {
  if (typeof value === 'string') return { type: 'text', value };
  // What JSON cannot say, the SDK refuses.
  return isContentOutput(value) ? value : { type: 'json', value: plainValue(value) ?? null };
}

function isContentOutput(value: unknown): value is Output {
  if (!isRecord(value) || field(value, 'type') !== 'content') return false;
  const parts = field(value, 'value');
  return Array.isArray(parts) && parts.every(isContentPart);
}

/** The parts that the SDK's schema has, as far as their types tell. */
function isContentPart(part: unknown): boolean {
  if (!isRecord(part)) return false;
  const type = field(part, 'type');
  if (type === 'text') return typeof field(part, 'text') === 'string';
  return typeof type === 'string' && /^(?:media|custom|file|image)(?:-|$)/.test(type);
}

function contentOutput(content: ToolContent): Output {
  const { parts, isError } = content;
  if (isError) return { type: 'error-text', value: failureText(content) };
  if (parts.every((part) => part.type === 'text')) return { type: 'text', value: partsText(parts) };
  return {
    type: 'content',
    // By a name that both newer majors of the SDK know: one has no `media` any more, the other no `file`.
    value: parts.map((part) =>
      part.type === 'text' ? part : { type: 'image-data', data: part.data, mediaType: part.mimeType },
    ),
  };
}

function join(outputs: readonly Output[]): Output {
  const type = outputs[0]?.type as string;
  const isText = type === 'text' || type === 'error-text';
  if (isText && outputs.every((one) => one.type === type)) {
    return { type, value: outputs.map((one) => valueText(one['value'])).join('\n\n') };
  }
  return { type: 'content', value: outputs.flatMap(piecesOf) };
}

function piecesOf(output: Output): readonly unknown[] {
  const { type, value, reason } = output;
  if (type === 'content' && Array.isArray(value)) return value;
  const text = type === 'execution-denied' ? valueText(reason) : valueText(value);
  return [{ type: 'text', text }];
}

function result(toolCallId: string, toolName: string, output: Output): AISDKPart {
  const part: AISDKPart & Readonly<Record<string, unknown>> = { type: 'tool-result', toolCallId, toolName, output };
  return part;
}
