import { expect, it, onTestFinished, vi } from 'vitest';

import { readProfile } from '../../../src/testing/program/profile-reading.ts';

it('a profile of a command alone is one', () => {
  const profile = { command: ['agent'] };
  expect(readProfile(profile)).toBe(profile);
});

it.each([
  [[], 'a profile must be an object, got []'],
  [() => ({ command: ['agent'] }), 'a profile must be an object, got a function'],
  [{}, 'a profile must have a command: the program and its arguments'],
  [{ command: [] }, 'a profile must have a command: the program and its arguments'],
  [{ command: 'agent' }, 'command of a profile must be a list of texts, got "agent"'],
  [{ command: ['agent'], comand: 1 }, 'a profile has no "comand"; it has name, command, resume'],
  [{ command: ['agent'], settleMs: -1 }, 'settleMs of a profile must be a number from 0, got -1'],
  [{ command: ['agent'], through: 'telnet' }, 'through of a profile must be of terminal, lines, acp, got "telnet"'],
  [{ command: ['agent'], promises: ['miracles'] }, 'promises of a profile must be of tree-after-stop'],
  [{ command: ['agent'], mcp: {} }, 'mcp of a profile must name a tool, got {}'],
  [{ command: [''] }, 'a profile must have a command: the program and its arguments, got [""]'],
  [{ command: ['agent'], resume: [] }, 'a profile must have a resume: the program and its arguments, got []'],
  [{ command: ['agent'], env: { A: 5 } }, 'env of a profile must be an object of texts, got {"A":5}'],
  [{ command: ['agent'], files: { '/etc/a': 1 } }, 'files of a profile must be in the home, or begin with {work}/, got "/etc/a"'], // prettier-ignore
  [{ command: ['agent'], files: { 'a/../../b': 1 } }, 'files of a profile must be in the home'],
  [{ command: ['agent'], files: { '{work}/../b': 1 } }, 'files of a profile must be in the home'],
  [{ command: ['agent'], files: { '~/.agent': 1 } }, 'files of a profile must be in the home'],
  [{ command: ['agent'], stop: [] }, 'stop of a profile must have a key or a signal, got []'],
  [{ command: ['agent'], stop: ['ESC'], through: 'lines' }, 'stop of a profile must be signals, as SIGINT, got "ESC"'],
  [{ command: ['agent'], stop: ['SIGINT'], through: 'acp' }, "stop of a profile is the protocol's own through acp"],
  [{ command: ['agent', '{prompt}'], through: 'terminal' }, 'must be of lines, got "terminal"'],
  [{ command: ['agent'], mcp: { tool: 'a', input: 'b' } }, 'input of mcp of a profile must be an object, got "b"'],
  [{ command: ['agent'], files: { '{cwd}/b': 1 } }, 'files of a profile must be in the home, or begin with {work}/, got "{cwd}/b"'], // prettier-ignore
  [{ command: ['agent'], files: { '{home}': 1 } }, 'files of a profile must be in the home'],
  [{ command: ['agent'], files: { '{home}/../b': 1 } }, 'files of a profile must be in the home'],
  [{ command: ['agent'], through: 'lines', approve: ['y'] }, 'approve of a profile is not for a program that is spoken to through lines, got ["y"]'], // prettier-ignore
  [{ command: ['agent'], through: 'acp', ready: 'x' }, 'ready of a profile is not for a program that is spoken to through acp, got "x"'], // prettier-ignore
  [{ command: ['agent', '{prompt}'], settleMs: 5 }, 'settleMs of a profile is not for a program that takes one prompt and ends, got 5'], // prettier-ignore
  [{ command: ['agent'], ready: '(' }, 'ready of a profile must be a regular expression, got "("'],
])('the profile %j is refused by name', (profile, message) => {
  expect(() => readProfile(profile)).toThrow(message);
});

it.each(['/', '/check', '/check/work/main', '/home'])(
  'a profile read in %j has no files in the current folder',
  (folder) => {
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
    onTestFinished(() => cwd.mockRestore());
    for (const path of ['{cwd}/b', '{cwd}/work/b', '{cwd}/home/b']) {
      expect(() => readProfile({ command: ['agent'], files: { [path]: 1 } })).toThrow('files of a profile must be');
    }
    const files = { a: 1, '{home}/b': 1, '{work}/c': 1 };
    expect(readProfile({ command: ['agent'], files })).toEqual({ command: ['agent'], files });
  },
);

it('a profile has files in its home and in its folder, and keys and signals for a stop', () => {
  const files = { '.agent/config..json': {}, '{work}/a': '', '{home}/b': '' };
  for (const rest of [{ files }, { stop: ['\x1b', '\x03'] }, { stop: ['SIGINT', 'SIGTERM'], through: 'lines' }]) {
    expect(readProfile({ command: ['agent'], ...rest })).toMatchObject(rest);
  }
});
