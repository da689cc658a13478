/**
 * What the hook's process runs: it hears one key everywhere and says so on a line, until its input ends.
 *
 * The function is sent as text, so it uses nothing but what it is given and what it asks of Node: it is the same in each
 * build and behind each bundler.
 *
 * Prior art: Erlang's port programs, which end when their pipe does.
 *
 * @module
 */
import type { HotkeyCombination } from './key-names.ts';

/** What it says, one JSON text a line. */
export type HookLine =
  | { readonly type: 'ready' }
  /** The key was pressed, at this instant of the wall clock. */
  | { readonly type: 'down'; readonly at: number }
  | { readonly type: 'no-package' }
  | { readonly type: 'failed'; readonly message: string };

/** A key, as the hook tells of it. */
export interface HookKey {
  readonly keycode: number;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
}

/** The slice of `uiohook-napi` that is used. */
export interface HookModule {
  readonly UiohookKey: Readonly<Record<string, number | undefined>>;
  readonly uIOhook: {
    on(event: 'keydown' | 'keyup', listener: (key: HookKey) => void): unknown;
    start(): unknown;
  };
}

/** What of Node the program uses. */
export interface HookHost {
  readonly stdin: Pick<NodeJS.ReadableStream, 'on' | 'resume'>;
  /** Loads the hook as the module at `from` would; throws what `require` throws. */
  load(from: string): HookModule;
  say(line: HookLine): void;
  /** In milliseconds. */
  now(): number;
  /** Of the day, in epoch milliseconds. */
  wallClock(): number;
  exit(): void;
}

/**
 * @param combination What is heard.
 * @param places Modules from which the package is looked for, in this order.
 */
export function hook(host: HookHost, combination: HotkeyCombination, places: readonly string[]): void {
  const leave = (): void => {
    host.exit();
  };
  host.stdin.on('end', leave);
  host.stdin.on('error', leave);
  host.stdin.resume();

  let found: HookModule | undefined;
  let failure: string | undefined;
  for (const place of places) {
    try {
      found ??= host.load(place);
    } catch (error) {
      // Not found from here; but one that is there and cannot be loaded says more than one that is not.
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') failure ??= String(error);
    }
  }
  if (found === undefined) {
    host.say(failure === undefined ? { type: 'no-package' } : { type: 'failed', message: failure });
    return;
  }

  const code = found.UiohookKey[combination.code];
  if (code === undefined) {
    host.say({ type: 'failed', message: `this version of uiohook-napi knows no key ${combination.code}` });
    return;
  }
  const { ctrl, alt, shift, meta } = combination;
  // A key that is held down repeats itself, at the latest after two seconds; some repeat by letting go and pressing again in
  // one instant, and a worn switch does the same.
  const heldMs = 2_000;
  const bounceMs = 5;
  let heldUntil = -Infinity;
  found.uIOhook.on('keydown', (key) => {
    if (key.keycode !== code) return;
    // Also with other modifiers it is the same key that is held: what they do meanwhile makes no press of it.
    const isRepeat = host.now() < heldUntil;
    heldUntil = host.now() + heldMs;
    const isMeant = key.ctrlKey === ctrl && key.altKey === alt && key.shiftKey === shift && key.metaKey === meta;
    if (!isRepeat && isMeant) host.say({ type: 'down', at: host.wallClock() });
  });
  found.uIOhook.on('keyup', (key) => {
    if (key.keycode === code) heldUntil = Math.min(heldUntil, host.now() + bounceMs);
  });
  try {
    found.uIOhook.start();
  } catch (error) {
    host.say({ type: 'failed', message: String(error) });
    return;
  }
  host.say({ type: 'ready' });
}
