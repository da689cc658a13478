/**
 * Why there is no hotkey, in one line that helps.
 *
 * @module
 */

/**
 * Why keys cannot be heard: `no-package` the hook is not installed · `no-display` no X server to hear them from ·
 * `wayland` it lets nobody hear the keys of another program · `no-permission` the person has not allowed it · `failed`
 * anything else.
 *
 * @since 0.1.0
 */
export type HotkeyProblem = 'no-package' | 'no-display' | 'wayland' | 'no-permission' | 'failed';

/**
 * Why there is no hotkey.
 *
 * @since 0.1.0
 */
export interface HotkeyUnavailable {
  readonly reason: HotkeyProblem;
  /** One line for the person: what is missing, and what to do about it. */
  readonly message: string;
}

const words: Readonly<Record<Exclude<HotkeyProblem, 'failed'>, string>> = {
  'no-package': 'the global hotkey needs the package uiohook-napi: npm install uiohook-napi',
  'no-display': 'the global hotkey needs an X server that can be reached: DISPLAY names none',
  wayland: 'Wayland lets no program hear the keys of another: press the key in the terminal of the agent',
  'no-permission':
    'the global hotkey needs permission: System Settings > Privacy & Security > Accessibility, allow your terminal there and start it again',
};

/**
 * @param detail What went wrong, as the system has put it; its first line is kept.
 */
export function unavailable(reason: HotkeyProblem, detail = ''): HotkeyUnavailable {
  if (reason !== 'failed') return { reason, message: words[reason] };
  const [line = ''] = detail.trim().split('\n');
  return { reason, message: `the global hotkey could not be started: ${line === '' ? 'no cause was given' : line}` };
}

/**
 * What can be known before anything is started.
 *
 * @param platform `process.platform`.
 * @param env `process.env`.
 */
export function problemOfHost(
  platform: string,
  env: Readonly<Record<string, string | undefined>>,
): HotkeyUnavailable | undefined {
  if (platform === 'win32' || platform === 'darwin') return undefined;
  const has = (name: string): boolean => env[name] !== undefined && env[name] !== '';
  // With Xwayland there is a DISPLAY too, and the keys of its own windows alone.
  if (has('WAYLAND_DISPLAY') || env['XDG_SESSION_TYPE'] === 'wayland') return unavailable('wayland');
  return has('DISPLAY') ? undefined : unavailable('no-display');
}

/** What a hook has said when it did not start, in words of ours. */
export function problemOfFailure(text: string): HotkeyUnavailable {
  if (/XOpenDisplay/.test(text)) return unavailable('no-display');
  if (/assistive devices|AXAPI|accessibility/i.test(text)) return unavailable('no-permission');
  return unavailable('failed', text);
}
