import { describe, expect, it } from 'vitest';

import { checkTranscript } from '../../../../src/transcript/index.ts';
import { gemini, type GeminiContent } from '../../../../src/transcript/dialects/gemini/index.ts';

const user = (...parts: object[]): GeminiContent => ({ role: 'user', parts });
const model = (...parts: object[]): GeminiContent => ({ role: 'model', parts });
const text = { text: 'Hello' };
const call = (name: string, more: object = {}, sig?: string): object => ({
  functionCall: { name, args: {}, ...more },
  ...(sig === undefined ? {} : { thoughtSignature: sig }),
});
const answer = (name: string, more: object = {}): object => ({
  functionResponse: { name, response: { output: 'ok' }, ...more },
});

function check(...contents: GeminiContent[]): string[] {
  return checkTranscript(contents, { dialect: gemini }).map(({ at, rule }) => `${String(at)} ${rule}`);
}

describe('a legal history', () => {
  it.each<[string, GeminiContent[]]>([
    ['talk', [{ parts: [text] }, model(text), user(text)]],
    [
      'parallel calls, answered in order',
      [user(text), model(call('a', {}, 'sig'), call('b')), user(answer('a'), answer('b'))],
    ],
    ['two calls of one tool', [user(text), model(call('a'), call('a')), user(answer('a'), answer('a'))]],
    ['ids', [user(text), model(call('a', { id: '1' })), user(answer('a', { id: '1' }))]],
    [
      'the user’s words behind the responses',
      [user(text), model(call('a')), user(answer('a')), user(text), model(text)],
    ],
    ['several turns of one side', [user(text), user(text), model(text), model(text)]],
    ['a signature alone', [user(text), model(text, { text: '', thoughtSignature: 'sig' })]],
  ])('%s', (_what, contents) => {
    expect(check(...contents)).toEqual([]);
  });
});

describe('each rule finds its breach', () => {
  it.each<[string, GeminiContent[]]>([
    ['1 call-answered', [user(text), model(call('a'))]],
    ['1 call-answered', [user(text), model(call('a'), call('b')), user(answer('a'))]],
    ['1 call-answered', [user(text), model(call('a')), user(text)]],
    ['2 result-has-call', [user(text), model(text), user(answer('a'))]],
    ['0 result-has-call', [user(answer('a'))]],
    ['2 one-result-per-call', [user(text), model(call('a')), user(answer('a'), answer('a'))]],
    ['2 result-order', [user(text), model(call('a'), call('b')), user(answer('b'), answer('a'))]],
    ['2 result-order', [user(text), model(call('a', { id: '1' })), user(answer('a', { id: '2' }))]],
    ['2 result-content', [user(text), model(call('a')), user(answer('a', { response: 'ok' }))]],
    ['2 results-alone', [user(text), model(call('a')), user(answer('a'), text)]],
    ['2 results-alone', [user(text), model(call('a')), user({ inlineData: {} }, answer('a'))]],
    ['0 call-after-user', [model(call('a')), user(answer('a'))]],
    ['2 call-after-user', [user(text), model(text), model(call('a')), user(answer('a'))]],
    ['0 call-by-model', [user(call('a'))]],
    ['1 call-name', [user(text), model({ functionCall: { args: {} } }), user(answer('a'))]],
    ['1 call-arguments', [user(text), model(call('a', { willContinue: true })), user(answer('a'))]],
    ['1 call-arguments', [user(text), model(call('a', { args: '{}' })), user(answer('a'))]],
    ['1 call-arguments', [user(text), model(call('a', { args: [] })), user(answer('a'))]],
    ['1 signature-first', [user(text), model(call('a'), call('b', {}, 'sig')), user(answer('a'), answer('b'))]],
    ['0 message-not-empty', [user()]],
    ['0 message-not-empty', [{ role: 'user' }]],
    ['0 part-not-empty', [user({ text: '' })]],
    ['0 part-not-empty', [user({})]],
  ])('%s', (violation, contents) => {
    expect(check(...contents)).toContain(violation);
  });
});
