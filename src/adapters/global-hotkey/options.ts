/**
 * The options of the hotkey: what may be asked for, and what holds where nothing was.
 *
 * @module
 */
import { type Clock, isObject, type OptionNames, requireOneOf, requireOptions, show } from '../../core/inside.ts';
import type { TerminalInput } from '../internal/keyboard/key-reader.ts';
import { nodeModule } from '../internal/node-module.ts';
import type { EscapeMode, NextEscape } from '../internal/presses/press-machine.ts';
import {
  escapeModes,
  requireFunctions,
  resolvePressOptions,
  type ResolvedPressOptions,
} from '../internal/presses/press-options.ts';
import type { FrontSession } from '../internal/presses/press-target.ts';
import { hostFocus, type FocusProbe } from './focus-probe.ts';
import { parseHotkey, type HotkeyCombination } from './key-names.ts';

/**
 * Says whether a prompt waits for the person. The `gate` of `watchTerminal` is one.
 *
 * @since 0.1.0
 */
export interface HotkeyGate {
  readonly isWaitingInput: boolean;
}

/**
 * Options of {@link watchGlobalHotkey}.
 *
 * @since 0.1.0
 */
export interface GlobalHotkeyOptions {
  /** `'escape'` (default), `'f12'`, `'ctrl+shift+x'`: exactly these modifiers held. */
  readonly key?: string | undefined;
  /**
   * `'single'` (default): the key cancels, within `doubleMs` once more it kills · `'double'`: the second within
   * `doubleMs` cancels, one more kills · `'tiered'`: it cancels, and kills as long as that cancel is under way.
   */
  readonly mode?: EscapeMode | undefined;
  /** How long a second press belongs to the first, in milliseconds. Default 500. */
  readonly doubleMs?: number | undefined;
  /** Hears what one more press would do, as long as it would; `undefined` when that is over. */
  readonly onArmed?: ((next: NextEscape | undefined) => void) | undefined;
  /** A press while a prompt waits is for the prompt. The prompts of a watched terminal count without it. */
  readonly gate?: HotkeyGate | undefined;
  /** The window of X11 that is ours, as a number; by default what the terminal has put into `WINDOWID`. */
  readonly windowId?: number | undefined;
  /** Names of applications in one of which the agent runs, on macOS and Windows; common terminals and editors by default. */
  readonly applications?: readonly string[] | undefined;
  /** Asked at each press in the place of the system, which tells the window or the application in front. */
  readonly focusProbe?: FocusProbe | undefined;
  /** What a press does when nobody knows which window is in front. Default `'ignore'`. */
  readonly unknownFocus?: 'ignore' | 'cancel' | undefined;
  /** With a session registry: the session that the person looks at, asked at each press. */
  readonly front?: (() => FrontSession | undefined) | undefined;
  /** The terminal that is watched besides, so that one press counts once. Default `process.stdin`. */
  readonly input?: TerminalInput | undefined;
  /**
   * A file from which `uiohook-napi` is looked up first, by its absolute path or its URL, such as `import.meta.filename`; then
   * the program's main file.
   */
  readonly resolveFrom?: string | undefined;
  /** Time for tests; the system's by default. */
  readonly clock?: Clock | undefined;
}

/** The options as the hotkey uses them: checked, and nothing left out. */
export interface ResolvedHotkeyOptions extends ResolvedPressOptions {
  readonly combination: HotkeyCombination;
  readonly mode: EscapeMode;
  readonly gate: HotkeyGate | undefined;
  readonly focusProbe: FocusProbe;
  readonly stopsUnknown: boolean;
  readonly input: TerminalInput | undefined;
  readonly places: readonly string[];
}

/** Every option there is; one more is a mistake. */
const optionNames: OptionNames<GlobalHotkeyOptions> = {
  key: 1,
  mode: 1,
  doubleMs: 1,
  onArmed: 1,
  gate: 1,
  windowId: 1,
  applications: 1,
  focusProbe: 1,
  unknownFocus: 1,
  front: 1,
  input: 1,
  resolveFrom: 1,
  clock: 1,
};

/** Modules from which the package is looked for: the program's own, before ours, which may be somewhere else. */
function placesFrom(resolveFrom: unknown): readonly string[] {
  const path = nodeModule('node:path');
  const isPlace = (place: unknown): place is string =>
    typeof place === 'string' && (path.isAbsolute(place) || place.startsWith('file:'));
  if (resolveFrom !== undefined && !isPlace(resolveFrom)) {
    throw new TypeError(`resolveFrom must be a file, by its absolute path or its URL, got ${show(resolveFrom)}`);
  }
  const main = process.argv[1] ?? ''; // no path at all for a program from the command line or from a pipe
  const places = [
    resolveFrom,
    isPlace(main) ? quietly(() => nodeModule('node:fs').realpathSync(main)) : undefined, // a command that npm installs is a link to it
    main,
    quietly(() => `${process.cwd()}/package.json`), // it may have been removed
  ];
  return [...new Set(places.filter(isPlace))];
}

function quietly<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws TypeError – an option of the wrong type, or one that there is not. RangeError – a negative or infinite duration.
 */
export function resolveHotkeyOptions(options: GlobalHotkeyOptions): ResolvedHotkeyOptions {
  requireOptions(options, optionNames);
  const { gate, windowId, applications, focusProbe, onArmed } = options;
  const probe = hostFocus(process.platform, { windowId, applications });
  if (gate !== undefined && !isObject(gate)) throw new TypeError(`gate must be an object, got ${show(gate)}`);
  requireFunctions({ focusProbe });
  return {
    ...resolvePressOptions({ ...options, armed: ['onArmed', onArmed] }),
    combination: parseHotkey(options.key ?? 'escape'),
    mode: requireOneOf('mode', options.mode ?? 'single', escapeModes),
    gate,
    focusProbe: focusProbe ?? probe,
    stopsUnknown: requireOneOf('unknownFocus', options.unknownFocus ?? 'ignore', ['ignore', 'cancel']) === 'cancel',
    input: options.input,
    places: placesFrom(options.resolveFrom),
  };
}
