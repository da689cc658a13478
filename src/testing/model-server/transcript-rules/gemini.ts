/**
 * The rules by which the Gemini API refuses a transcript, in its own words. Prior art: the 400 answers of the API.
 *
 * @module
 */
import { isFields, listOf, type Fields } from './fields.ts';

const order = {
  response: 'Please ensure that function response turn comes immediately after a function call turn.',
  call: 'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
  count:
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  names:
    'Please ensure that the function response parts are in the order of the function call parts of the function call turn.',
  // Its own words for responses beside a text, although the turn is the user's.
  alone: 'Requests ending with a model turn are not supported.',
} as const;

/** What a part can hold; `thought` and signatures only qualify it. */
const data = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
] as const;

/**
 * Why `generateContent` would answer this body with 400.
 *
 * @param model The model of the path: from Gemini 3 on, calls of the current turn must carry their signature.
 * @returns Its message, or `undefined` if it would accept the body.
 */
export function refuseGemini(body: Fields, model = ''): string | undefined {
  const contents = listOf(body['contents']);
  if (contents.length === 0) return '* GenerateContentRequest.contents: contents is not specified\n';
  for (const [at, content] of contents.entries()) {
    const refusal = refuseContent(content, at) ?? refuseOrder(contents, at);
    if (refusal !== undefined) return refusal;
  }
  return /gemini-(?:[3-9]|\d\d)/.test(model) ? refuseUnsigned(contents) : undefined;
}

function refuseContent(content: Fields, at: number): string | undefined {
  const where = `* GenerateContentRequest.contents[${String(at)}]`;
  const role = roleOf(content);
  if (role !== 'user' && role !== 'model') return 'Please use a valid role: user, model.';
  const parts = listOf(content['parts']);
  if (parts.length === 0) return `${where}.parts: contents.parts must not be empty.\n`;
  // An empty text counts as no data at all, unless a signature rides on it.
  const isEmpty = (part: Fields): boolean =>
    data.every((name) => part[name] === undefined || part[name] === '') && part['thoughtSignature'] === undefined;
  const empty = parts.findIndex(isEmpty);
  return empty === -1
    ? undefined
    : `${where}.parts[${String(empty)}].data: required oneof field 'data' must have one initialized field\n`;
}

/** A turn without a role is the user's; `function` is an old name for it. */
function roleOf(content: Fields): unknown {
  return content['role'] === undefined || content['role'] === 'function' ? 'user' : content['role'];
}

function partsOf(content: Fields | undefined, name: 'functionCall' | 'functionResponse'): readonly Fields[] {
  return listOf(content?.['parts']).flatMap((part) => (isFields(part[name]) ? [part[name]] : []));
}

/** Calls, then in the very next turn their responses and nothing else: as many, in their order. */
function refuseOrder(contents: readonly Fields[], at: number): string | undefined {
  const content = contents[at] ?? {};
  const previous = contents[at - 1];
  const calls = partsOf(content, 'functionCall');
  const responses = partsOf(content, 'functionResponse');
  const asked = partsOf(previous, 'functionCall');
  if (calls.length > 0 && (roleOf(content) !== 'model' || previous === undefined || roleOf(previous) !== 'user')) {
    return order.call;
  }
  if (responses.length > 0 && (asked.length === 0 || roleOf(content) !== 'user')) return order.response;
  if (asked.length !== responses.length) return order.count;
  if (calls.length > 0 && at === contents.length - 1) return order.count;
  const isSwapped = asked.some(({ id, name }, i) => {
    const answer = responses[i];
    return answer?.['name'] !== name || (id !== undefined && answer?.['id'] !== undefined && answer['id'] !== id);
  });
  if (isSwapped) return order.names;
  return responses.length > 0 && responses.length < listOf(content['parts']).length ? order.alone : undefined;
}

/** Since the user's last words, the first call part of each model turn carries its signature. */
function refuseUnsigned(contents: readonly Fields[]): string | undefined {
  const isPrompt = (content: Fields): boolean =>
    roleOf(content) === 'user' && partsOf(content, 'functionResponse').length === 0;
  const turnAt = contents.map(isPrompt).lastIndexOf(true);
  for (const [at, content] of contents.entries()) {
    if (at < turnAt) continue;
    const parts = listOf(content['parts']);
    const place = parts.findIndex((part) => isFields(part['functionCall']));
    const first = parts[place];
    if (first === undefined || first['thoughtSignature'] !== undefined) continue;
    const name = String((first['functionCall'] as Fields)['name']);
    return (
      'Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly, ' +
      'and missing thought_signature may lead to degraded model performance. ' +
      `Additional data, function call \`default_api:${name}\` , position ${String(at + 1)}.`
    );
  }
  return undefined;
}
