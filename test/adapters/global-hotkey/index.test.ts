import { afterEach, expect, it, vi } from 'vitest';

import { watchGlobalHotkey } from '../../../src/adapters/global-hotkey/index.ts';
import { SessionRegistry } from '../../../src/sessions/session-registry.ts';
import { FakeController } from '../internal/presses/fake-controller.ts';

afterEach(() => {
  vi.unstubAllEnvs();
});

it('a target that cannot be stopped, and a registry without its front session, are refused', () => {
  expect(() => watchGlobalHotkey(null as never)).toThrow(/target must be an object/);
  expect(() => watchGlobalHotkey({ cancel: () => undefined } as never)).toThrow(/target.kill must be a function/);
  expect(() => watchGlobalHotkey(new SessionRegistry() as never)).toThrow(/option front/);
});

it.runIf(process.platform === 'linux').each([
  ['no-display', { DISPLAY: undefined, WAYLAND_DISPLAY: undefined, XDG_SESSION_TYPE: undefined }],
  ['wayland', { DISPLAY: ':0', WAYLAND_DISPLAY: 'wayland-0' }],
])('a hotkey without hope says %s at once, and stopping it is harmless', async (reason, env) => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const hotkey = watchGlobalHotkey(new FakeController(), { key: 'ctrl+f12' });
  expect([hotkey.state, hotkey.unavailable?.reason, await hotkey.ready]).toEqual([
    'unavailable',
    reason,
    'unavailable',
  ]);
  await hotkey.stop();
  await hotkey.stop();
  expect([hotkey.state, hotkey.unavailable]).toEqual(['stopped', undefined]);
});
