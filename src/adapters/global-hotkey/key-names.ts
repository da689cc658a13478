/**
 * The names of keys, as people write them and as the hook knows them.
 *
 * @module
 */
import { show } from '../../core/inside.ts';

/** A key with exactly these modifiers held. */
export interface HotkeyCombination {
  /** Its name in the hook's table. */
  readonly code: string;
  readonly ctrl: boolean;
  readonly alt: boolean;
  readonly shift: boolean;
  readonly meta: boolean;
}

const named: Readonly<Record<string, string>> = {
  escape: 'Escape',
  esc: 'Escape',
  space: 'Space',
  enter: 'Enter',
  tab: 'Tab',
  backspace: 'Backspace',
  insert: 'Insert',
  delete: 'Delete',
  home: 'Home',
  end: 'End',
  pageup: 'PageUp',
  pagedown: 'PageDown',
  up: 'ArrowUp',
  down: 'ArrowDown',
  left: 'ArrowLeft',
  right: 'ArrowRight',
  backquote: 'Backquote',
  scrolllock: 'ScrollLock',
  printscreen: 'PrintScreen',
};

const modifiers: ReadonlySet<string> = new Set(['ctrl', 'alt', 'shift', 'meta']);

function codeOf(name: string): string | undefined {
  if (/^(?:[a-z0-9]|f(?:[1-9]|1\d|2[0-4]))$/.test(name)) return name.toUpperCase();
  return Object.hasOwn(named, name) ? named[name] : undefined;
}

/**
 * Reads `'escape'`, `'f12'`, `'ctrl+shift+x'`.
 *
 * @throws TypeError – no text, or no key of that name.
 */
export function parseHotkey(key: unknown): HotkeyCombination {
  const parts = typeof key === 'string' ? key.toLowerCase().split('+') : [];
  const code = codeOf(parts.pop() ?? '');
  if (code === undefined || new Set(parts).size < parts.length || !parts.every((part) => modifiers.has(part))) {
    throw new TypeError(`key must be a key such as 'escape', 'f12' or 'ctrl+shift+x', got ${show(key)}`);
  }
  const has = (name: string): boolean => parts.includes(name);
  return { code, ctrl: has('ctrl'), alt: has('alt'), shift: has('shift'), meta: has('meta') };
}
