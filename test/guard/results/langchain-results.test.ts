import { describe, expect, it } from 'vitest';

import { notShown, shownOf } from '../../../src/core/foundation/results/shown.ts';
import { langChainResult, rememberPairs, returnsPair } from '../../../src/guard/results/langchain-results.ts';
import { CancellationTokenSource } from '../../../src/index.ts';

const { token } = new CancellationTokenSource();
const config = (name: string) => ({ toolCall: { type: 'tool_call', id: 'a', name, args: {} } });
const shown = (value: unknown, name = 'read', isWhole = true): unknown =>
  shownOf(Object.defineProperties({}, langChainResult(token, [{}, config(name)])), value, isWhole)?.value;

const answer = { tool_call_id: 'a', content: 'done', artifact: 'secret', lc_direct_tool_output: true };

describe('what LangChain tells of a result', () => {
  it.each<[string, unknown, unknown]>([
    ['a value', { n: 1 }, { n: 1 }],
    ['a list of two', ['a', 'b'], ['a', 'b']],
    ['a message', answer, 'done'],
    ['a command', { lg_name: 'Command', update: { token: 'secret', messages: [answer] } }, 'done'],
    ['a command of pairs', { lg_name: 'Command', update: [['token', 's'], ['messages', answer]] }, 'done'], // prettier-ignore
    ['a command without an answer', { lg_name: 'Command', update: { token: 'secret' } }, notShown],
    ['a command that only goes on', { lg_name: 'Command', goto: ['x'] }, notShown],
  ])('of %s', (_what, value, told) => {
    expect(shown(value)).toEqual(told);
    expect(shown(value, 'read', false)).toEqual(told);
  });

  it('of a content and an artifact is the content', () => {
    rememberPairs({ token }, [{ name: 'query', responseFormat: 'content_and_artifact' }, { name: 'read' }, null]);
    expect(shown(['3 rows', 'secret'], 'query')).toBe('3 rows');
    expect(shown([answer, 'secret'], 'query')).toBe('done');
    expect(shown({ rows: 'secret' }, 'query')).toBe(notShown);
    expect(shown('so far', 'query', false)).toBe('so far');
    expect(shown(['a', 'b'])).toEqual(['a', 'b']);
  });

  it('of a tool is known by the models of the turn alone', () => {
    rememberPairs({ token }, [{ name: 'query', responseFormat: 'content_and_artifact' }, { name: 'read' }]);
    expect(['query', 'read', 'other', undefined].map((name) => returnsPair(token, name))).toEqual([
      ...[true, false, undefined, undefined],
    ]);
  });

  it('of the calls of others nothing is known', () => {
    const mark = langChainResult(token, [{}, { toolCall: { callId: 'a', arguments: '{}' } }, undefined]);
    expect(Reflect.ownKeys(mark)).toEqual([]);
  });
});
