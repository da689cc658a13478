import { expectTypeOf, it } from 'vitest';

import { watchGlobalHotkey, type FocusProbe, type HotkeyWatcher } from '../../src/adapters/global-hotkey/index.ts';
import type { HotkeyProblem } from '../../src/adapters/global-hotkey/unavailable.ts';
import type { HotkeyState } from '../../src/adapters/global-hotkey/hotkey-watcher.ts';
import { watchTerminal } from '../../src/adapters/terminal/index.ts';
import type { InterruptController } from '../../src/core/interrupt/controller.ts';
import type { SessionRegistry } from '../../src/sessions/session-registry.ts';

const agent = {} as InterruptController;
const sessions = {} as SessionRegistry;

it('a hotkey takes what a terminal takes, and the terminal’s gate', () => {
  expectTypeOf(watchGlobalHotkey).toBeCallableWith(agent, { gate: watchTerminal(agent).gate, key: undefined });
  expectTypeOf(watchGlobalHotkey).toBeCallableWith({ cancel: () => undefined, kill: () => undefined });
  expectTypeOf(watchGlobalHotkey).toBeCallableWith(sessions, { front: () => 'chat-7' });
  // @ts-expect-error a registry needs to know which session is in front
  watchGlobalHotkey(sessions);
  // @ts-expect-error no such mode
  watchGlobalHotkey(agent, { mode: 'triple' });
});

it('a probe may not know', () => {
  expectTypeOf(watchGlobalHotkey).toBeCallableWith(agent, { windowId: 7, applications: ['Zed'] });
  expectTypeOf(watchGlobalHotkey).toBeCallableWith(agent, { focusProbe: () => undefined });
  expectTypeOf(watchGlobalHotkey).toBeCallableWith(agent, { focusProbe: () => Promise.resolve(true) });
});

it('a watcher says how it is, and why', () => {
  expectTypeOf<HotkeyWatcher['ready']>().toEqualTypeOf<Promise<HotkeyState>>();
  expectTypeOf<NonNullable<HotkeyWatcher['unavailable']>['reason']>().toEqualTypeOf<HotkeyProblem>();
});
