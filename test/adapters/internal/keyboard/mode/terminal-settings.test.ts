import { expect, it } from 'vitest';

import { noteSettings } from '../../../../../src/adapters/internal/keyboard/mode/terminal-settings.ts';

it('puts back what was noted', () => {
  const ran: unknown[] = [];
  const putBack = noteSettings(7, (...call) => {
    ran.push(call);
    return 'a:b:c\n';
  });
  putBack();
  expect(ran).toEqual([
    [7, '-g'],
    [7, 'a:b:c'],
  ]);
});

it('does nothing where there is no stty, and survives a terminal that has gone', () => {
  let calls = 0;
  const failing = (): string => {
    calls += 1;
    throw new Error('ENOENT');
  };
  noteSettings(7, failing)();
  expect(calls).toBe(1);
  noteSettings(7, (_fd, argument) => (argument === '-g' ? 'a' : failing()))();
  expect(calls).toBe(2);
});
