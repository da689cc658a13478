/**
 * Finds every breach of the Gemini API's rules in a transcript.
 * Written from the provider's rules alone and sharing nothing with the settler, so that each can be tested by the other.
 *
 * @module
 */
import type { IdPolicy } from '../../dialect.ts';
import type { Note } from '../rules.ts';
import type { GeminiContent } from './content.ts';
import { isPlainObject } from '../json-checks.ts';

type Json = Readonly<Record<string, unknown>>;

/** What the API runs itself, and its results: in neighbouring turns of the model, too, for these are one. */
const hosted = [
  ['executableCode', 'code', false],
  ['codeExecutionResult', 'code', true],
  ['toolCall', 'tool', false],
  ['toolResponse', 'tool', true],
] as const;

/** Notes every breach, turn by turn. */
export function checkGemini(contents: readonly GeminiContent[], note: Note, ids: IdPolicy, isOver = false): void {
  /** What the API runs and has not ended, by its id or its kind. */
  let running = new Map<unknown, number>();
  const noteLost = (lost: Iterable<number>): void => {
    for (const at of lost) note(at, 'server-call-answered', 'code or a tool that the API runs has no result');
  };
  contents.forEach((content, at) => {
    const before = contents[at - 1];
    const parts = partsOf(content);
    const calls = held(parts, 'functionCall');
    const responses = held(parts, 'functionResponse');
    checkParts(parts, at, note);
    if (!isModels(content) && responses.length < parts.length) {
      noteLost(running.values());
      running = new Map();
    }
    for (const part of isModels(content) ? parts : []) {
      for (const [form, what, isEnd] of hosted) {
        const own = part[form] as Json;
        if (!isPlainObject(own)) continue;
        const id = own['id'] || what;
        const begun = running.get(id);
        if (isEnd && !running.delete(id)) note(at, 'result-has-call', 'a result of the API stands without its call');
        if (isEnd) continue;
        if (begun !== undefined) noteLost([begun]);
        running.set(id, at);
      }
    }
    if (ids === 'normalise') for (const some of [calls, responses]) checkNames(some, at, note);
    if (content.role === 'function' && responses.length < parts.length) {
      note(at, 'function-role', 'a turn of a function holds more than responses');
    }
    if (calls.length > 0 && !isModels(content)) note(at, 'call-by-model', 'a call stands in a turn of the user');
    else if (calls.length > 0) {
      checkCalls(parts, at, note);
      if (before === undefined) note(at, 'call-after-user', 'the conversation begins with a call');
      if (isModels(before)) note(at, 'call-after-user', 'a turn with calls follows another of the model');
      if (isModels(contents[at + 1]) || contents[at + 1] === undefined) {
        note(at, 'call-answered', 'no turn of the user with the responses comes directly after the calls');
      }
    }
    if (responses.length > 0 && responses.length < parts.length) {
      note(at, 'results-alone', 'a turn with responses holds something besides');
    }
    const asked = isModels(before) && !isModels(content) ? held(partsOf(before), 'functionCall') : [];
    checkResponses(asked, responses, at, note);
  });
  // The API goes on with what its last turn began.
  const last = isOver ? -1 : contents.map(isModels).lastIndexOf(true);
  noteLost([...running.values()].filter((at) => at !== last));
}

function isModels(content: GeminiContent | undefined): boolean {
  return content?.role === 'model';
}

function partsOf(content: GeminiContent | undefined): readonly Json[] {
  return (content?.parts ?? []) as readonly Json[];
}

function held(parts: readonly Json[], name: string): readonly Json[] {
  const found: Json[] = [];
  for (const { [name]: value } of parts) if (isPlainObject(value)) found.push(value as Json);
  return found;
}

const asides = ['thought', 'partMetadata', 'videoMetadata', 'mediaResolution'];

function checkParts(parts: readonly Json[], at: number, note: Note): void {
  if (parts.length === 0) note(at, 'message-not-empty', 'the turn holds nothing');
  for (const part of parts) {
    const isData = (name: string): boolean => !asides.includes(name) && part[name] !== undefined && part[name] !== '';
    if (!Object.keys(part).some(isData)) note(at, 'part-not-empty', 'a part holds nothing');
  }
}

function checkNames(bodies: readonly Json[], at: number, note: Note): void {
  for (const { name } of bodies) {
    if (typeof name === 'string' && name !== '' && !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(name)) {
      note(at, 'name-characters', `${name} is a name that no function can have`);
    }
  }
}

function checkCalls(parts: readonly Json[], at: number, note: Note): void {
  const callParts = parts.filter((part) => isPlainObject(part['functionCall']));
  for (const part of callParts) {
    const call = part['functionCall'] as Json;
    if (typeof call['name'] !== 'string' || call['name'] === '') note(at, 'call-name', 'a call has no name');
    const isCut = call['willContinue'] === true || Array.isArray(call['partialArgs']);
    if (isCut || !isPlainObject(call['args'] ?? {})) {
      note(at, 'call-arguments', `the arguments of ${String(call['name'])} are not whole`);
    }
  }
  const signed = callParts.findIndex((part) => part['thoughtSignature'] !== undefined);
  if (signed > 0) note(at, 'signature-first', 'the signature is not on the first call');
}

/** As many responses as calls, in their order, and each an object. */
function checkResponses(asked: readonly Json[], responses: readonly Json[], at: number, note: Note): void {
  if (responses.length > asked.length) {
    const rule = asked.length === 0 ? 'result-has-call' : 'one-result-per-call';
    note(at, rule, `${String(responses.length)} responses to ${String(asked.length)} calls directly before`);
  }
  if (responses.length < asked.length) {
    note(
      at - 1,
      'call-answered',
      `${String(asked.length)} calls have ${String(responses.length)} responses directly after`,
    );
  }
  responses.forEach((response, i) => {
    if (!isPlainObject(response['response'])) note(at, 'result-content', 'a response is not an object');
    const call = asked[i];
    if (call === undefined || responses.length !== asked.length) return;
    // An empty id is none.
    const isOther = response['name'] !== call['name'] || (call['id'] && response['id'] !== call['id']);
    if (isOther) note(at, 'result-order', `response ${String(i + 1)} is not that of call ${String(i + 1)}`);
  });
}
