import { afterEach, describe, expect, it, vi } from 'vitest';

import { resolveOptions, type WatchTerminalOptions } from '../../../src/adapters/terminal/options.ts';
import { systemClock } from '../../../src/core/foundation/clock.ts';
import { FakeTty } from '../internal/keyboard/fake-tty.ts';

const input = new FakeTty();

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('resolveOptions', () => {
  it('fills in the documented defaults', () => {
    for (const name of ['ESCDELAY', 'SSH_CONNECTION', 'SSH_TTY', 'SSH_CLIENT']) vi.stubEnv(name, undefined);
    expect(resolveOptions({ input })).toMatchObject({
      input,
      clock: systemClock,
      escapes: true,
      escape: 'single',
      idleEscape: false,
      interrupts: true,
      suspends: true,
      doubleMs: 500,
      leaveMs: 2000,
      escTimeoutMs: 50,
      typeAhead: 'replay',
      keepAlive: false,
      crashGuard: false,
      wishes: { output: process.stdout, fence: false, switches: [] },
      onLeaveArmed: undefined,
    });
  });

  it('reads the standard input where nobody named another', () => {
    const stdin = vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as never);
    expect(resolveOptions({}).input).toBe(input);
    stdin.mockRestore();
  });

  it('asks the terminal for nothing unless it is told to, but over SSH for a sign', () => {
    const output = { isTTY: true, write: () => true };
    vi.stubEnv('SSH_TTY', '/dev/pts/3');
    vi.stubEnv('TERM', 'xterm');
    expect(resolveOptions({ input, output, focus: true, kitty: true }).wishes).toEqual({
      output,
      fence: true,
      switches: ['kitty', 'focus'],
    });
    expect(resolveOptions({ input, output, fence: false }).wishes.fence).toBe(false);
    expect(resolveOptions({ input, output, inject: {} as never }).wishes.switches).toEqual(['paste']);
    expect(resolveOptions({ input, output, inject: {} as never, paste: false }).wishes.switches).toEqual([]);
  });

  it('asks a dumb terminal for nothing: it would show the question', () => {
    const output = { isTTY: true, write: () => true };
    vi.stubEnv('TERM', 'dumb');
    const every = { fence: true, focus: true, kitty: true, paste: true, modifyOtherKeys: true };
    expect(resolveOptions({ input, output, ...every }).wishes).toEqual({ output, fence: false, switches: [] });
    expect(() => resolveOptions({ input, output, kitty: 1 as never })).toThrow(TypeError);
  });

  it('leaves with 130', () => {
    const onLeave = vi.fn();
    resolveOptions({ input, onLeave }).leave();
    expect(onLeave).toHaveBeenCalledExactlyOnceWith(130);
  });

  it('exits the process where nobody said otherwise', () => {
    const exit = vi.spyOn(process, 'exit').mockImplementation((() => undefined) as never);
    resolveOptions({ input }).leave();
    expect(exit).toHaveBeenCalledExactlyOnceWith(130);
    exit.mockRestore();
  });

  it('switches ESC and Ctrl+C off', () => {
    expect(resolveOptions({ input, escape: false, ctrlC: false })).toMatchObject({ escapes: false, interrupts: false });
  });

  it('refuses options that are no object', () => {
    expect(() => resolveOptions('double' as never)).toThrow('options must be an object, got "double"');
  });

  it.each([
    [{ escape: 'tripple' }, TypeError, `escape must be 'single', 'double', 'tiered' or false, got "tripple"`],
    [{ ctrlC: true }, TypeError, `ctrlC must be 'cancel' or false, got true`],
    [{ ctrlZ: 'stop' }, TypeError, `ctrlZ must be 'suspend' or false, got "stop"`],
    [{ doubleMs: -1 }, RangeError, 'doubleMs must be a finite number of milliseconds, 0 or more, got -1'],
    [{ leaveMs: Infinity }, RangeError, 'leaveMs must be a finite number of milliseconds, 0 or more, got Infinity'],
    [{ escTimeoutMs: '50' }, TypeError, 'escTimeoutMs must be a number of milliseconds, got "50"'],
    [{ typeAhead: 'keep' }, TypeError, `typeAhead must be one of 'replay', 'hold', 'discard', got "keep"`],
    [{ keepAlive: 1 }, TypeError, 'keepAlive must be true or false, got 1'],
    [{ crashGuard: 'on' }, TypeError, 'crashGuard must be true or false, got "on"'],
    [{ onLeave: 130 }, TypeError, 'onLeave must be a function, got 130'],
    [{ onHint: 'hint' }, TypeError, 'onHint must be a function, got "hint"'],
    [{ onLeaveArmed: 'hint' }, TypeError, 'onLeaveArmed must be a function, got "hint"'],
    [{ input: null }, TypeError, 'input.on must be a function, got undefined'],
    [{ onEscapeArmed: 1 }, TypeError, 'onEscapeArmed must be a function, got 1'],
    [{ onIdleDoubleEscape: 'rewind' }, TypeError, 'onIdleDoubleEscape must be a function, got "rewind"'],
    [{ front: 'chat-7' }, TypeError, 'front must be a function, got "chat-7"'],
    [{ escpae: 'double' }, TypeError, 'options.escpae is no option'],
    [{ output: {} }, TypeError, 'output.write must be a function, got undefined'],
    [{ fence: 'on' }, TypeError, `fence must be 'auto', true or false, got "on"`],
    [{ kitty: 1 }, TypeError, 'kitty must be true or false, got 1'],
    [{ modifyOtherKeys: 2 }, TypeError, 'modifyOtherKeys must be true or false, got 2'],
    [{ paste: 'yes' }, TypeError, 'paste must be true or false, got "yes"'],
    [{ focus: 'yes' }, TypeError, 'focus must be true or false, got "yes"'],
    [{ input: {} }, TypeError, 'input.on must be a function, got undefined'],
  ])('refuses %j', (options, type, message) => {
    const resolve = (): unknown => resolveOptions({ input, ...options } as WatchTerminalOptions);
    expect(resolve).toThrow(type);
    expect(resolve).toThrow(message);
  });
});
