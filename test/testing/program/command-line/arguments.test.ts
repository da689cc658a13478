import { expect, it } from 'vitest';

import { readArguments, usage } from '../../../../src/testing/program/command-line/arguments.ts';

it('what stands behind the two dashes is the program, also if it looks like an option', () => {
  expect(
    readArguments(['check', '--json', '--only', 'stream,tool', '--runs', '2', '--', 'my-agent', '--json', '--', 'x']),
  ).toEqual({
    isHelp: false,
    isVersion: false,
    command: ['my-agent', '--json', '--', 'x'],
    profile: undefined,
    isProbe: false,
    isJSON: true,
    html: undefined,
    only: ['stream', 'tool'],
    runs: 2,
    isContained: true,
  });
  expect(readArguments(['check', '--profile', 'a.json', '--probe', '--no-contain'])).toMatchObject({
    profile: 'a.json',
    isProbe: true,
    isContained: false,
    command: [],
  });
});

it.each([
  [['chekc'], 'there is no command "chekc" (desist --help)'],
  [['--', 'my-agent'], 'say what to do: desist check -- PROGRAM (desist --help)'],
  [['check'], 'say which program: either behind "--" or in --profile FILE'],
  [['check', '--profile', 'a', '--', 'b'], 'say which program: either behind "--" or in --profile FILE'],
  [['check', 'my-agent'], 'the program comes behind "--", got "my-agent"'],
  [['check', '--runs', '0', '--', 'a'], '--runs must be a whole number from 1, got "0"'],
  [['check', '--probe', '--html', 'a.html', '--', 'a'], '--probe plays no check: --html is not for it'],
  [['check', '--fast'], "Unknown option '--fast' (desist --help)"],
])('the arguments %j are refused in a line', (args, message) => {
  expect(() => readArguments(args)).toThrow(message);
});

it('help is asked for by nothing at all, too', () => {
  expect([readArguments([]).isHelp, readArguments(['--help']).isHelp, readArguments(['check', '-h']).isHelp]).toEqual([
    true,
    true,
    true,
  ]);
  expect(usage).toContain('--probe');
});

it('no names of checks are a mistake, as an empty variable makes', () => {
  expect(() => readArguments(['check', '--only', '', '--', 'my-agent'])).toThrow('--only must name a check');
});
