import { afterEach, expect, it, vi } from 'vitest';

import { hostFocus } from '../../../src/adapters/global-hotkey/focus-probe.ts';

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
  expect(await hostFocus('linux', {}, answering(text))()).toBe(expected);
  expect(asked).toEqual(['xprop -root _NET_ACTIVE_WINDOW']);
});

it.each(['', '0', '-1', 'x'])('no window is ours where WINDOWID is %j', async (id) => {
  vi.stubEnv('WINDOWID', id);
  expect(await hostFocus('linux', {}, answering('0x0'))()).toBeUndefined();
});

it('X11 is not asked where no window is known to be ours, and the option goes before the environment', async () => {
  vi.stubEnv('WINDOWID', undefined);
  expect(await hostFocus('linux', {}, answering('0x7'))()).toBeUndefined();
  expect(asked).toEqual([]);
  vi.stubEnv('WINDOWID', '8');
  expect(await hostFocus('linux', { windowId: 7 }, answering('0x7'))()).toBe(true);
});

it.each([
  ['darwin', 'iTerm2\n', true],
  ['darwin', 'Safari\n', false],
  ['win32', 'windowsterminal\r\n', true],
  ['win32', 'explorer\r\n', false],
  ['win32', '\r\n', undefined],
] as const)('on %s the application %o in front is ours: %s', async (platform, text, expected) => {
  expect(await hostFocus(platform, {}, answering(text))()).toBe(expected);
  expect(asked[0]).toMatch(platform === 'darwin' ? /^osascript / : /^powershell.exe /);
});

it('the list of applications is yours to set', async () => {
  expect(await hostFocus('darwin', { applications: ['Zed'] }, answering('Zed'))()).toBe(true);
  expect(await hostFocus('darwin', { applications: [] }, answering('Zed'))()).toBe(false);
});

it('a command that is not there leaves it open', async () => {
  expect(await hostFocus('linux', { windowId: 7 }, silent)()).toBeUndefined();
  expect(await hostFocus('darwin', {}, silent)()).toBeUndefined();
});

it('each system has a probe', () => {
  for (const platform of ['linux', 'darwin', 'win32']) expect(hostFocus(platform)).toBeTypeOf('function');
});

it('a window and applications of the wrong type are refused', () => {
  expect(() => hostFocus('darwin', { windowId: NaN })).toThrow(/windowId must be a whole number/);
  expect(() => hostFocus('linux', { windowId: 0 })).toThrow(RangeError);
  for (const applications of ['Zed', [7]])
    expect(() => hostFocus('linux', { applications: applications as never })).toThrow(
      /applications must be a list of names/,
    );
});
