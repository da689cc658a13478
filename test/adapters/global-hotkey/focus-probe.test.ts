import { afterEach, expect, it, vi } from 'vitest';

import { applicationFocus, hostFocus, x11Focus } from '../../../src/adapters/global-hotkey/focus-probe.ts';

const asked: string[] = [];
const answering = (text: string): { run: (command: string, args: readonly string[]) => Promise<string> } => ({
  run: (command, args) => {
    asked.push([command, ...args].join(' '));
    return Promise.resolve(text);
  },
});
const silent = { run: () => Promise.reject(new Error('ENOENT')) };

afterEach(() => {
  asked.length = 0;
  vi.unstubAllEnvs();
});

it.each([
  ['_NET_ACTIVE_WINDOW(WINDOW): window id # 0x1c00004', true],
  ['_NET_ACTIVE_WINDOW(WINDOW): window id # 0x1c00005', false],
  ['_NET_ACTIVE_WINDOW(WINDOW): window id # 0x0', false],
  ['_NET_ACTIVE_WINDOW:  no such atom on any window.', undefined],
])('X11 that says %o means that our window is in front: %s', async (text, expected) => {
  vi.stubEnv('WINDOWID', String(0x1c00004));
  expect(await x11Focus({ host: answering(text) })()).toBe(expected);
  expect(asked).toEqual(['xprop -root _NET_ACTIVE_WINDOW']);
});

it.each(['', '0', '-1', 'x'])('no window is ours where WINDOWID is %j', async (id) => {
  vi.stubEnv('WINDOWID', id);
  expect(await x11Focus({ host: answering('0x0') })()).toBeUndefined();
});

it('X11 is not asked where no window is known to be ours, and the option goes before the environment', async () => {
  vi.stubEnv('WINDOWID', undefined);
  expect(await x11Focus({ host: answering('0x7') })()).toBeUndefined();
  expect(asked).toEqual([]);
  vi.stubEnv('WINDOWID', '8');
  expect(await x11Focus({ windowId: 7, host: answering('0x7') })()).toBe(true);
});

it.each([
  ['darwin', 'iTerm2\n', true],
  ['darwin', 'Safari\n', false],
  ['win32', 'windowsterminal\r\n', true],
  ['win32', 'explorer\r\n', false],
  ['win32', '\r\n', undefined],
] as const)('on %s the application %o in front is ours: %s', async (platform, text, expected) => {
  expect(await applicationFocus(platform, { host: answering(text) })()).toBe(expected);
  expect(asked[0]).toMatch(platform === 'darwin' ? /^osascript / : /^powershell.exe /);
});

it('the list of applications is yours to set', async () => {
  const options = { applications: ['Zed'], host: answering('Zed') };
  expect(await applicationFocus('darwin', options)()).toBe(true);
  expect(await applicationFocus('darwin', { ...options, applications: [] })()).toBe(false);
});

it('a command that is not there leaves it open', async () => {
  expect(await x11Focus({ windowId: 7, host: silent })()).toBeUndefined();
  expect(await applicationFocus('darwin', { host: silent })()).toBeUndefined();
});

it('each system has a probe', () => {
  for (const platform of ['linux', 'darwin', 'win32']) expect(hostFocus(platform)).toBeTypeOf('function');
});

it('a window and applications of the wrong type are refused', () => {
  expect(() => x11Focus({ windowId: NaN })).toThrow(/windowId must be a whole number/);
  expect(() => x11Focus({ windowId: 0 })).toThrow(RangeError);
  expect(() => applicationFocus('darwin', { applications: 'Zed' as never })).toThrow(/applications must be a list/);
});
