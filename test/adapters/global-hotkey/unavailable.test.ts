import { expect, it } from 'vitest';

import { problemOfFailure, problemOfHost, unavailable } from '../../../src/adapters/global-hotkey/unavailable.ts';

it.each([
  ['linux', {}, 'no-display'],
  ['linux', { DISPLAY: '' }, 'no-display'],
  ['linux', { DISPLAY: ':0' }, undefined],
  ['linux', { DISPLAY: ':0', WAYLAND_DISPLAY: 'wayland-0' }, 'wayland'],
  ['freebsd', { DISPLAY: ':0', XDG_SESSION_TYPE: 'wayland' }, 'wayland'],
  ['darwin', {}, undefined],
  ['win32', {}, undefined],
])('on %s with %o the problem known in advance is %s', (platform, env, reason) => {
  expect(problemOfHost(platform, env)?.reason).toBe(reason);
});

it.each([
  ['xrecord_start [1024]: XOpenDisplay failure!\nAborted', 'no-display'],
  ['Error: Failed to enable access for assistive devices.', 'no-permission'],
  ['Error: something else\n  at once', 'failed'],
  ['', 'failed'],
])('a start that failed with %o is told as %s', (text, reason) => {
  expect(problemOfFailure(text).reason).toBe(reason);
});

it('each problem is one line that says what to do', () => {
  for (const reason of ['no-package', 'no-display', 'wayland', 'no-permission', 'failed'] as const) {
    expect(unavailable(reason, 'first\nsecond').message).toMatch(/^[^\n]{40,}$/);
  }
  expect(unavailable('failed', 'first\nsecond').message).toBe('the global hotkey could not be started: first');
  expect(unavailable('failed').message).toContain('no cause was given');
  expect(unavailable('no-permission').message).toContain('Accessibility');
  expect(unavailable('no-package').message).toContain('npm install uiohook-napi');
});
