import { PassThrough } from 'node:stream';
import { beforeEach, expect, it } from 'vitest';

import { hook, type HookHost, type HookKey, type HookLine } from '../../../src/adapters/global-hotkey/hook-program.ts';
import { parseHotkey } from '../../../src/adapters/global-hotkey/key-names.ts';

const escape = { keycode: 1, ctrlKey: false, altKey: false, shiftKey: false, metaKey: false };

let said: HookLine[];
let listeners: Map<string, (key: HookKey) => void>;
let stdin: PassThrough;
let exits: number;
let now: number;

beforeEach(() => {
  said = [];
  listeners = new Map();
  stdin = new PassThrough();
  exits = 0;
  now = 0;
});

/** The port to the system; the package itself is used for real in the suite of the windows. */
function run(load: (from: string) => unknown, places: readonly string[] = ['here'], key = 'escape'): void {
  const host: HookHost = {
    stdin,
    load: (from) => load(from) as ReturnType<HookHost['load']>,
    say: (line) => said.push(line),
    now: () => now,
    wallClock: () => 1_000_000 + now,
    exit: () => {
      exits++;
    },
  };
  hook(host, parseHotkey(key), places);
}

const working = (start: () => void = () => undefined): unknown => ({
  UiohookKey: { Escape: 1, X: 45 },
  uIOhook: { on: (event: string, listener: (key: HookKey) => void) => listeners.set(event, listener), start },
});

const missing = (): never => {
  throw Object.assign(new Error('Cannot find module'), { code: 'MODULE_NOT_FOUND' });
};

it('the hook is ready once it was started, and tells of its key alone', () => {
  let started = 0;
  run(() => working(() => started++));
  expect([started, said]).toEqual([1, [{ type: 'ready' }]]);
  listeners.get('keydown')?.({ ...escape, keycode: 30 });
  listeners.get('keydown')?.({ ...escape, ctrlKey: true });
  listeners.get('keyup')?.({ ...escape, keycode: 30 });
  listeners.get('keyup')?.({ ...escape, ctrlKey: true });
  now = 100;
  expect(said).toHaveLength(1);
  listeners.get('keydown')?.(escape);
  listeners.get('keyup')?.(escape);
  expect(said.slice(1)).toEqual([{ type: 'down', at: 1_000_100 }]);
});

it('a key that is held down is one press, however often and in whichever way the system repeats it', () => {
  run(() => working());
  const at = (ms: number, event: 'keydown' | 'keyup'): void => {
    now = ms;
    listeners.get(event)?.(escape);
  };
  const presses = (): number => said.length - 1;
  for (let ms = 0; ms < 10_000; ms += 1_999) at(ms, 'keydown');
  expect(presses()).toBe(1);
  at(10_000, 'keyup');
  for (let ms = 10_004; ms < 10_100; ms += 4) {
    at(ms, 'keydown');
    at(ms, 'keyup');
  }
  expect(presses()).toBe(1);
  at(11_100, 'keydown');
  expect(presses()).toBe(2);
  at(13_100, 'keydown'); // its release was lost
  expect(presses()).toBe(3);
});

it('a key that is held down is no second press when a modifier comes and goes, nor a press at all if one was held first', () => {
  run(() => working());
  const down = (ms: number, shiftKey: boolean): void => {
    now = ms;
    listeners.get('keydown')?.({ ...escape, shiftKey });
  };
  for (let ms = 0; ms < 5_000; ms += 40) down(ms, ms > 500 && ms < 3_000);
  listeners.get('keyup')?.(escape);
  expect(said).toHaveLength(2);
  for (let ms = 10_000; ms < 12_000; ms += 40) down(ms, ms < 10_300);
  expect(said).toHaveLength(2);
});

it('a combination is heard with its modifiers only', () => {
  run(() => working(), ['here'], 'ctrl+x');
  listeners.get('keydown')?.({ ...escape, keycode: 45 });
  listeners.get('keyup')?.({ ...escape, keycode: 45 });
  now = 100;
  listeners.get('keydown')?.({ ...escape, keycode: 45, ctrlKey: true });
  expect(said.map(({ type }) => type)).toEqual(['ready', 'down']);
});

it('the package is looked for in one place after the other', () => {
  const asked: string[] = [];
  const load = (from: string): unknown => {
    asked.push(from);
    return from === 'second' ? working() : missing();
  };
  run(load, ['first', 'second', 'third']);
  expect([asked, said]).toEqual([['first', 'second'], [{ type: 'ready' }]]);
});

it('a package that is nowhere is told as missing, one that cannot be loaded with its error', () => {
  run(missing, ['first', 'second']);
  run(
    (from) => {
      if (from === 'first') throw new Error('no prebuild for this system');
      return missing();
    },
    ['first', 'second'],
  );
  expect(said).toEqual([{ type: 'no-package' }, { type: 'failed', message: 'Error: no prebuild for this system' }]);
});

it('a start that throws, and a key that this version does not know, are told', () => {
  run(() =>
    working(() => {
      throw new Error('no access');
    }),
  );
  run(() => working(), ['here'], 'f12');
  expect(said).toEqual([
    { type: 'failed', message: 'Error: no access' },
    { type: 'failed', message: 'this version of uiohook-napi knows no key F12' },
  ]);
});

it('the process of the hook ends as soon as its input does', async () => {
  run(() => working());
  const ended = new Promise((resolve) => stdin.once('end', resolve));
  stdin.end();
  await ended;
  expect(exits).toBe(1);
});
