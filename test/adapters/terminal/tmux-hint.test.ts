import { afterEach, expect, it, vi } from 'vitest';

import { hintAtTmux } from '../../../src/adapters/terminal/tmux-hint.ts';

type Answer = (error: Error | null, text: string) => void;

/** A tmux that answers when the test says so. */
function setUp(TMUX: string | undefined) {
  const asked: string[] = [];
  let answer: Answer = () => undefined;
  const execFile = (file: string, args: readonly string[], _options: object, done: Answer) => {
    asked.push([file, ...args].join(' '));
    answer = done;
    return { unref: () => asked.push('unref') };
  };
  const tell = vi.fn<(hint: string) => void>();
  hintAtTmux(tell, { env: { TMUX }, execFile: execFile as never });
  return { asked, tell, answers: (text: string, error: Error | null = null) => answer(error, text) };
}

afterEach(() => {
  vi.restoreAllMocks();
});

it('says what to change where tmux holds ESC back, and keeps nothing alive for it', () => {
  const { asked, tell, answers } = setUp('/tmp/tmux-0/default,1,0');
  expect(asked).toEqual(['tmux show-options -sv escape-time', 'unref']);
  answers('500\n');
  expect(tell).toHaveBeenCalledExactlyOnceWith(
    'tmux holds each ESC back for 500 ms. In ~/.tmux.conf: set -sg escape-time 10',
  );
});

it.each([
  ['quick', '50\n', null],
  ['odd', '', null],
  ['missing', '', new Error('ENOENT')],
])('says nothing where tmux is %s', (_, text, error) => {
  const { tell, answers } = setUp('/tmp/tmux-0/default,1,0');
  answers(text, error);
  expect(tell).not.toHaveBeenCalled();
});

it('asks nobody outside of tmux', () => {
  expect(setUp(undefined).asked).toEqual([]);
});

it('reports a hint that fails', () => {
  const reported = vi.spyOn(console, 'error').mockReturnValue();
  const { tell, answers } = setUp('/tmp/tmux-0/default,1,0');
  tell.mockImplementation(() => {
    throw new Error('no screen');
  });
  answers('500');
  expect(reported).toHaveBeenCalledOnce();
});
