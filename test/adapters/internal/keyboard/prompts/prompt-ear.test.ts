import { PassThrough } from 'node:stream';

import { expect, it } from 'vitest';

import { isEscape } from '../../../../../src/adapters/internal/keyboard/decoder/key-event.ts';
import { hearKeys } from '../../../../../src/adapters/internal/keyboard/prompts/prompt-ear.ts';
import { VirtualClock } from '../../../../../src/testing/virtual-clock.ts';
import { FakeTty } from '../fake-tty.ts';

const afterPoll = (fn: () => void) => {
  fn();
  return { release: () => undefined };
};

it('hears keys beside a prompt, before it, and takes no arrow key, paste or modified ESC for an ESC', () => {
  const clock = new VirtualClock({ startAt: 5 });
  const tty = new FakeTty();
  tty.resume();
  const order: string[] = [];
  tty.on('data', () => order.push('prompt'));
  const ear = hearKeys(tty, { clock, escTimeoutMs: 50, afterPoll }, (event, at) => {
    order.push(isEscape(event) ? `escape ${String(at)} ${String(event.repeat)}` : event.type);
  });
  for (const bytes of ['\x1b[A', '\x1b[200~\x1b\x1b[201~', '\x1b[27;3u', 'yes\r']) tty.type(bytes);
  clock.advanceSync(2000);
  expect(order.filter((one) => one !== 'prompt')).toEqual(['key', 'paste', 'key', 'key', 'key', 'key', 'key']);
  order.length = 0;
  tty.type('\x1b[27u');
  tty.type('\x1b');
  clock.advanceSync(50);
  expect(order).toEqual(['escape 2005 false', 'prompt', 'prompt', 'escape 2005 false']);

  order.length = 0;
  tty.type('\x1b'); // and the prompt resolves at once
  ear.release();
  tty.type('\x1b[27u');
  expect(order).toEqual(['prompt', 'escape 2055 false', 'prompt']);
  expect(clock.pending).toBe(0);
});

it('neither starts a stream nor stops one', () => {
  const clock = new VirtualClock();
  const input = new PassThrough();
  const ear = hearKeys(input, { clock, escTimeoutMs: 50 }, () => undefined);
  expect(input.readableFlowing).toBe(null);
  ear.release();
  expect(input.listenerCount('data')).toBe(0);
  const { on, removeListener } = input;
  const old = { on: on.bind(input), removeListener: removeListener.bind(input) };
  hearKeys(old as never, { clock, escTimeoutMs: 50 }, () => undefined).release();
  expect(input.listenerCount('data')).toBe(0);
});
