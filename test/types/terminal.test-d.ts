import type { PassThrough } from 'node:stream';

import { expectTypeOf, it } from 'vitest';

import { watchTerminal, type TerminalWatcher, type WatchTerminalOptions } from '../../src/adapters/terminal/index.ts';
import type { GuardProblem, GuardStatus, GuardUnavailable } from '../../src/adapters/internal/guardian/guard-status.ts';
import type { KeyEvent, KeyPress } from '../../src/adapters/internal/keyboard/decoder/key-decoder.ts';
import type { KeyHandler } from '../../src/adapters/internal/keyboard/key-stack.ts';
import type { TerminalController } from '../../src/adapters/internal/presses/press-target.ts';
import type { TerminalInput } from '../../src/adapters/internal/keyboard/key-reader.ts';
import type { InterruptController } from '../../src/core/interrupt/controller.ts';
import type { SessionRegistry } from '../../src/sessions/session-registry.ts';

const agent = {} as InterruptController;

it('an InterruptController is something to stop', () => {
  expectTypeOf<InterruptController>().toExtend<TerminalController>();
  expectTypeOf(watchTerminal).toBeCallableWith(agent);
  expectTypeOf(watchTerminal).returns.toEqualTypeOf<TerminalWatcher>();
});

it('a watcher says whether its crash guard is there, and why not', () => {
  expectTypeOf<TerminalWatcher['crashGuard']>().toEqualTypeOf<GuardStatus>();
  expectTypeOf<GuardStatus['state']>().toEqualTypeOf<'off' | 'on' | 'unavailable'>();
  expectTypeOf<GuardStatus['unavailable']>().toEqualTypeOf<GuardUnavailable | undefined>();
  expectTypeOf<'no-stty'>().toExtend<GuardProblem>();
});

it('so is anything with a state, a cancel and a kill', () => {
  watchTerminal({ state: 'idle', cancel: () => true, kill: () => undefined });
  watchTerminal({ cancel: () => true, kill: () => undefined });
  // @ts-expect-error nothing that kills
  watchTerminal({ state: 'idle', cancel: () => true });
  // @ts-expect-error a state nobody knows
  watchTerminal({ state: 'paused', cancel: () => true, kill: () => true });
});

it('so are sessions, with the one in front', () => {
  const sessions = {} as SessionRegistry;
  watchTerminal(sessions, { front: () => 'chat-7' });
  watchTerminal(sessions, { front: () => sessions.open('chat-7') });
  // @ts-expect-error nobody knows which
  watchTerminal(sessions);
});

it('keys come from process.stdin or any readable', () => {
  expectTypeOf(process.stdin).toExtend<TerminalInput>();
  expectTypeOf<PassThrough>().toExtend<TerminalInput>();
});

it('every option may be undefined', () => {
  const nothing: { [K in keyof Required<WatchTerminalOptions>]: undefined } = {
    input: undefined,
    escape: undefined,
    doubleMs: undefined,
    onEscapeArmed: undefined,
    onIdleDoubleEscape: undefined,
    front: undefined,
    escTimeoutMs: undefined,
    ctrlC: undefined,
    ctrlZ: undefined,
    leaveMs: undefined,
    onLeave: undefined,
    onLeaveArmed: undefined,
    onHint: undefined,
    typeAhead: undefined,
    keepAlive: undefined,
    inject: undefined,
    crashGuard: undefined,
    output: undefined,
    fence: undefined,
    kitty: undefined,
    modifyOtherKeys: undefined,
    paste: undefined,
    focus: undefined,
    clock: undefined,
  };
  expectTypeOf(watchTerminal).toBeCallableWith(agent, nothing);
  // @ts-expect-error a mode nobody knows
  watchTerminal(agent, { typeAhead: 'keep' });
  // @ts-expect-error a number of presses is no mode
  watchTerminal(agent, { escape: 2 });
});

it('a prompt gives what its function gives', () => {
  const terminal = {} as TerminalWatcher;
  expectTypeOf(terminal.prompt(() => 1)).toEqualTypeOf<Promise<number>>();
  expectTypeOf(terminal.prompt(async () => 'yes')).toEqualTypeOf<Promise<string>>();
  expectTypeOf(terminal.prompt(({ signal }) => signal)).toEqualTypeOf<Promise<AbortSignal>>();
  expectTypeOf(terminal.prompt).toBeCallableWith(() => 1, {
    token: undefined,
    timeoutMs: undefined,
    typeAhead: undefined,
  });
  expectTypeOf<TerminalWatcher>().toExtend<AsyncDisposable>();
});

it('events tell themselves apart by type', () => {
  const handler: KeyHandler = (event) => {
    if (event.type === 'key') expectTypeOf(event).toEqualTypeOf<KeyPress>();
    if (event.type === 'paste') expectTypeOf(event.text).toEqualTypeOf<string>();
  };
  expectTypeOf(handler).parameter(0).toEqualTypeOf<KeyEvent>();
  expectTypeOf(handler).parameter(1).toEqualTypeOf<number>();
});
