import { EventEmitter } from 'node:events';

import { expect, it } from 'vitest';

import type { JobHost } from '../../../src/adapters/internal/keyboard/job-control.ts';
import { suspendOnCtrlZ } from '../../../src/adapters/terminal/suspend-on-ctrl-z.ts';

function stage() {
  const said: string[] = [];
  const signals = new EventEmitter();
  const host: JobHost = {
    pid: 7,
    platform: 'linux',
    kill: (pid, signal) => said.push(`${signal} to ${String(pid)}`),
    stat: () => undefined,
    onSignal: (signal, fn) => {
      signals.on(signal, fn);
      return { release: () => void signals.off(signal, fn) };
    },
  };
  const lines = Object.assign(new EventEmitter(), { prompt: () => said.push('prompt') });
  const input = { setRawMode: (raw: boolean) => said.push(raw ? 'raw' : 'line mode') };
  return { said, signals, host, lines, input };
}

it('Ctrl+Z at a prompt stops the whole group in line mode, and the prompt is shown again when that goes on', () => {
  const { said, signals, host, lines, input } = stage();
  suspendOnCtrlZ(lines, input, host);
  lines.emit('SIGTSTP');
  expect(said.splice(0)).toEqual(['line mode', 'SIGTSTP to 0']);
  signals.emit('SIGCONT');
  expect(said.splice(0)).toEqual(['raw', 'prompt']);
  signals.emit('SIGTSTP'); // from elsewhere
  expect(said.splice(0)).toEqual(['line mode', 'SIGTSTP to 7']);
  signals.emit('SIGCONT');
  lines.emit('close');
  expect([signals.eventNames(), lines.eventNames()]).toEqual([[], []]);
});

it('a release leaves Ctrl+Z to readline again; what is no readline is refused', () => {
  const { signals, host, lines, input } = stage();
  const suspends = suspendOnCtrlZ(lines, input, host);
  expect(lines.listenerCount('SIGTSTP')).toBe(1);
  suspends.release();
  expect([signals.eventNames(), lines.eventNames()]).toEqual([[], []]);
  expect(() => suspendOnCtrlZ(undefined as never)).toThrow(new TypeError('lines.on must be a function, got undefined'));
  expect(() => suspendOnCtrlZ(new EventEmitter() as never)).toThrow(TypeError);
});
