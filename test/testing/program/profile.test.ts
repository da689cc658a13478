import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { environmentOf, fillIn, writeFiles } from '../../../src/testing/program/profile-places.ts';
import { readProfile } from '../../../src/testing/program/profile-reading.ts';
import { readyPattern, throughOf } from '../../../src/testing/program/profile.ts';
import { folder } from './support.ts';

const places = { url: 'http://127.0.0.1:1', home: '/h', work: '/w', mcp: '/m.cjs' };

it('a profile of a command alone is one', () => {
  const profile = { command: ['agent'] };
  expect(readProfile(profile)).toBe(profile);
});

it.each([
  [[], 'a profile must be an object, got []'],
  [{}, 'a profile must have a command: the program and its arguments'],
  [{ command: [] }, 'a profile must have a command: the program and its arguments'],
  [{ command: 'agent' }, 'command of a profile must be a list of texts, got "agent"'],
  [{ command: ['agent'], comand: 1 }, 'a profile has no "comand"; it has name, command, resume'],
  [{ command: ['agent'], settleMs: -1 }, 'settleMs of a profile must be a number, got -1'],
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

it('a profile has files in its home and in its folder, and keys and signals for a stop', () => {
  const files = { '.agent/config..json': {}, '{work}/a': '', '{home}/b': '' };
  for (const rest of [{ files }, { stop: ['\x1b', '\x03'] }, { stop: ['SIGINT', 'SIGTERM'], through: 'lines' }]) {
    expect(readProfile({ command: ['agent'], ...rest })).toMatchObject(rest);
  }
});

it('a program that takes one prompt and ends has no terminal to be spoken to in', () => {
  expect(throughOf({ command: ['agent', '-p', '{prompt}'] })).toBe('lines');
  expect(throughOf({ command: ['agent'] })).toBe('terminal');
  expect(throughOf({ command: ['agent'], through: 'acp' })).toBe('acp');
});

it('places are filled in everywhere, and what is no place stays', () => {
  expect(fillIn({ '{home}/a': ['{url}/v1', { b: '{work} {other} {constructor}', c: 1 }] }, places)).toEqual({
    '/h/a': ['http://127.0.0.1:1/v1', { b: '/w {other} {constructor}', c: 1 }],
  });
});

it('an environment points every provider at the loopback, holds nothing of ours, and the profile has the last word', () => {
  const env = environmentOf({ command: ['agent'], env: { OPENAI_API_KEY: 'mine', CONFIG: '{home}/c' } }, places);
  expect(env).toMatchObject({ HOME: '/h', ANTHROPIC_BASE_URL: places.url, OPENAI_BASE_URL: `${places.url}/v1` });
  expect(env).toMatchObject({ OPENAI_API_KEY: 'mine', CONFIG: '/h/c', DO_NOT_TRACK: '1' });
  const ours = Object.keys(process.env).filter((name) => name in env && env[name] === process.env[name]);
  expect(ours.filter((name) => !['PATH', 'TERM', 'COLORTERM', 'LANG', 'SHELL', 'DO_NOT_TRACK'].includes(name))).toEqual(
    [],
  );
});

it('a pattern for a screen is read as a regular expression', () => {
  expect(readyPattern('> $').test('hello\n> ')).toBe(true);
});

it.skipIf(process.platform === 'win32')(
  'files are written in the home and in the folder, and through no link that a program has made there',
  () => {
    const [home, work, outside] = [folder(), folder(), folder()];
    const here = { ...places, home, work };
    writeFiles({ 'a/b.json': { url: '{url}' }, '{work}/c': 'text' }, here);
    expect(JSON.parse(readFileSync(join(home, 'a/b.json'), 'utf8'))).toEqual({ url: places.url });
    expect(readFileSync(join(work, 'c'), 'utf8')).toBe('text');
    symlinkSync(outside, join(home, 'folder'));
    expect(() => {
      writeFiles({ 'folder/deep/d': '' }, here);
    }).toThrow('the program has made a link');
    symlinkSync(join(outside, 'e'), join(home, 'e'));
    writeFiles({ e: 'mine' }, here);
    expect([
      existsSync(join(outside, 'deep')),
      existsSync(join(outside, 'e')),
      readFileSync(join(home, 'e'), 'utf8'),
    ]).toEqual([false, false, 'mine']);
    mkdirSync(join(home, 'kept'));
    expect(() => {
      writeFiles({ '../f': '' }, here);
    }).toThrow('outside of its home');
  },
);
