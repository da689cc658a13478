import { describe, expect, it } from 'vitest';

import { rememberPairs } from '../../src/guard/langchain-results.ts';
import { wordForm } from '../../src/guard/word-forms.ts';
import { CancellationTokenSource } from '../../src/index.ts';

const { token } = new CancellationTokenSource();
rememberPairs({ token }, [{ name: 'query', responseFormat: 'content_and_artifact' }, { name: 'read' }]);
const { signal } = token;
const call = (name: string) => ({ type: 'tool_call', id: 'a', name, args: {} });
const config = (name: string) => ({ signal, recursionLimit: 25, toolCall: call(name) });
const inMcp = { content: [{ type: 'text', text: 'stopped' }], isError: true };
const notify = (): undefined => undefined;

describe('the form of words', () => {
  it.each<[string, readonly unknown[], unknown]>([
    ['a function', [{}, { signal }], 'stopped'],
    ['a tool of the AI SDK', [{}, { abortSignal: signal, toolCallId: 'a' }], 'stopped'],
    ['a handler of MCP', [{}, { signal, requestId: 1, sendNotification: notify }], inMcp],
    ['a handler of MCP without input', [{ signal, requestId: 1, sendNotification: notify }], inMcp],
    ['a handler of version 2 of MCP', [{}, { mcpReq: { id: 1, notify } }], inMcp],
    ['what a model wrote in the way of MCP', [{ sendNotification: 'x', mcpReq: {} }, { signal }], 'stopped'],
    ['a function of LangChain', [{}, config('read')], 'stopped'],
    ['a function of LangChain with an artifact', [{}, config('query')], ['stopped', undefined]],
    ['a tool of LangChain itself', [call('query'), { signal, recursionLimit: 25 }], 'stopped'],
  ])('of %s', (_what, args, form) => {
    expect(wordForm(token, args)?.('stopped')).toEqual(form);
  });

  it('of a function of LangChain is unknown where no model of the turn has its tool', () => {
    expect(wordForm(token, [{}, config('other')])).toBeUndefined();
    expect(wordForm(token, [{}, { signal, recursionLimit: 25 }])).toBeUndefined();
    expect(wordForm(new CancellationTokenSource().token, [{}, config('read')])).toBeUndefined();
  });
});
