import { expect, it } from 'vitest';

import { noTool, shellToolOf } from '../../../../src/testing/program/stage/named-tools.ts';
import { bash, requestOf } from '../support.ts';

it('the tool that runs commands is the one that the profile names, or the one that looks like it', () => {
  const request = requestOf([], [{ name: 'do_it' }, bash]);
  expect(shellToolOf(request, { command: ['a'] })?.name).toBe('bash');
  expect(shellToolOf(request, { command: ['a'], shell: 'do_it' })?.name).toBe('do_it');
  expect(shellToolOf(request, { command: ['a'], shell: 'do' })).toBeUndefined();
});

it('of a name that is none it is said which there are', () => {
  expect(noTool(requestOf([], [{ name: 'do_it' }, bash]), 'shell', 'bsh')).toBe(
    'the program declares no tool "bsh", which is shell of its profile; it declares do_it, bash',
  );
  expect(noTool(requestOf([], []), 'mcp', 'x')).toContain('it declares none');
});
