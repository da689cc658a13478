import { expect, it } from 'vitest';

import { historyOf, type HistoryItem } from '../../../../src/testing/model-server/reading/history.ts';
import { toldOf } from '../../../../src/testing/program/stage/told.ts';

function told(result: string, isError = false, next = 'go on') {
  const messages = [
    { role: 'user', content: 'an interruption of before' },
    { role: 'user', content: 'mark begin' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'bash', input: { command: 'kill' } }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: result, is_error: isError }] },
    { role: 'user', content: next },
  ];
  return toldOf(historyOf({ dialect: 'anthropic', body: { messages } }), 'mark');
}

it('a result without a word of a stop is told as a finished call', () => {
  expect(told('done')).toMatchObject({ isKept: true, isFalse: true, isTold: false });
  expect(told('exit code 0')).toMatchObject({ isFalse: true });
});

it.each([
  '{"stdout":"","stderr":"","interrupted":false,"isImage":false}',
  '{"output":"","error":null,"timed_out":false,"exit_code":0}',
  "{'killed': False, 'signal': None}",
  'Output: (empty)\nError: (none)\nExit Code: 0\nSignal: (none)',
  'done, no errors',
])('a result that says %j speaks of a finished call', (text) => {
  expect(told(text)).toMatchObject({ isFalse: true, isTold: false });
});

it.each([
  ['{"interrupted":true,"error":null}', false],
  ['Error: (none)\nSignal: SIGKILL', false],
  ['error: no space left on device', false],
  ['interrupted by the user', false],
  ['exit code 137', false],
  ['', true],
])('a result that says %j is no lie', (text, isError) => {
  expect(told(text, isError)).toMatchObject({ isFalse: false, isTold: true });
});

it('a note behind the result corrects it, and a turn that is not there tells nothing', () => {
  expect(told('done', false, 'The user interrupted that. go on')).toMatchObject({ isFalse: false, isTold: true });
  expect(toldOf([], 'mark')).toEqual({ isKept: false, isFalse: false, isTold: false, words: [] });
  expect(told('x'.repeat(500)).words[2]).toMatch(/^tool result: x{80} … x{70}$/);
});

it('a stop is told in the words of the stop before it, where a program has taken its session up; what stands around each prompt tells nothing', () => {
  const say = (role: HistoryItem['role'], text: string): HistoryItem => ({
    role,
    kind: 'text',
    text,
    name: undefined,
    callId: undefined,
    isError: false,
  });
  const around = 'Press ESC to interrupt.';
  const cut = say('assistant', '[This reply was cut off: the user cancelled.]');
  const before = [
    say('user', 'q1 begin'),
    say('assistant', 'w1'),
    cut,
    say('user', 'q1 go on'),
    say('assistant', 'Yes.'),
  ];
  const earlier = [...before, say('user', around), say('user', 'q2 begin')];
  const silent = [...earlier, say('assistant', 'w1 w2'), say('user', around), say('user', 'q2 go on')];
  const honest = [...earlier, say('assistant', 'w1 w2'), cut, say('user', around), say('user', 'q2 go on')];
  const said = ['q2 begin', 'q2 go on'];
  expect(toldOf(silent, 'q2 begin', earlier, said).isTold).toBe(false);
  expect(toldOf(honest, 'q2 begin', earlier, said).isTold).toBe(true);
});
