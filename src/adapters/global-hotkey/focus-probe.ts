/**
 * Whether the person looks at our window: asked of X11, macOS or Windows when the key is pressed, never before.
 *
 * Prior art: xdotool's `getactivewindow`; EWMH `_NET_ACTIVE_WINDOW`.
 *
 * @module
 */
import { show } from '../../core/inside.ts';
import { nodeModule } from '../internal/node-module.ts';

/**
 * Says whether our window is in front; `undefined` where that cannot be known.
 *
 * @since 0.1.0
 */
export type FocusProbe = () => boolean | undefined | PromiseLike<boolean | undefined>;

/** The slice of the system that a probe uses. */
export interface FocusHost {
  /** Runs a command and resolves with what it prints; rejects where it fails or is not there. */
  run(command: string, args: readonly string[]): Promise<string>;
}

/** What is ours, where the system is asked. */
export interface OwnWindow {
  readonly windowId?: number | undefined;
  readonly applications?: readonly string[] | undefined;
}

/** A question that takes longer is not answered any more. A busy machine takes a second for it, and an ESC must not be lost there. */
export const answerMs: number = 3000;

const thisSystem: FocusHost = {
  run: (command, args) =>
    new Promise((resolve, reject) => {
      const child = nodeModule('node:child_process').execFile(
        command,
        [...args],
        { timeout: answerMs, windowsHide: true },
        (error: Error | null, text) => {
          if (error === null) resolve(text);
          else reject(error);
        },
      );
      child.unref();
    }),
};

const applicationsOf = {
  darwin: ['Terminal', 'iTerm2', 'Ghostty', 'kitty', 'WezTerm', 'Alacritty', 'Hyper', 'Warp', 'Code', 'Cursor'],
  win32: ['WindowsTerminal', 'conhost', 'cmd', 'powershell', 'pwsh', 'wezterm-gui', 'alacritty', 'Hyper', 'Code'],
} as const satisfies Record<string, readonly string[]>;

const questions = {
  darwin: [
    'osascript',
    ['-e', 'tell application "System Events" to get name of first application process whose frontmost is true'],
  ],
  win32: [
    'powershell.exe',
    [
      '-NoProfile',
      '-NonInteractive',
      '-Command',
      `Add-Type -Namespace D -Name W -MemberDefinition '[DllImport("user32.dll")] public static extern System.IntPtr GetForegroundWindow(); [DllImport("user32.dll")] public static extern uint GetWindowThreadProcessId(System.IntPtr w, out uint p);'; $p = 0; [void][D.W]::GetWindowThreadProcessId([D.W]::GetForegroundWindow(), [ref]$p); (Get-Process -Id $p).ProcessName`,
    ],
  ],
} as const satisfies Record<string, readonly [string, readonly string[]]>;

async function answer<T>(question: Promise<T>): Promise<T | undefined> {
  try {
    return await question;
  } catch {
    return undefined; // the command is not there, or was refused: nobody knows
  }
}

/** Compares the active window of an X server with ours, by `xprop`; without it, and where no window is known to be ours, nobody knows. */
function x11Focus(host: FocusHost, windowId?: number): FocusProbe {
  return async () => {
    const own = windowId ?? Number(process.env['WINDOWID']);
    if (!Number.isSafeInteger(own) || own <= 0) return undefined; // 0 is no window, and what nothing reads as
    const text = await answer(host.run('xprop', ['-root', '_NET_ACTIVE_WINDOW']));
    const active = /0x[0-9a-f]+/i.exec(text ?? '')?.[0];
    return active === undefined ? undefined : Number(active) === own;
  };
}

/**
 * Compares the application in front with a list of names. It is all that macOS and Windows tell cheaply: another window of the same
 * application counts as ours.
 */
function applicationFocus(
  platform: 'darwin' | 'win32',
  host: FocusHost,
  applications: readonly string[] = applicationsOf[platform],
): FocusProbe {
  const names = new Set(applications.map((name) => name.toLowerCase()));
  const [command, args] = questions[platform];
  return async () => {
    const name = (await answer(host.run(command, args)))?.trim();
    return name === undefined || name === '' ? undefined : names.has(name.toLowerCase());
  };
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

/**
 * The probe of the system that we run on.
 *
 * @throws TypeError – a window that is no number, names that are no list. RangeError – a number that is no window.
 */
export function hostFocus(
  platform: string,
  { windowId, applications }: OwnWindow = {},
  host: FocusHost = thisSystem,
): FocusProbe {
  if (windowId !== undefined && !Number.isSafeInteger(windowId))
    throw new TypeError(`windowId must be a whole number, got ${show(windowId)}`);
  if (windowId !== undefined && windowId <= 0)
    throw new RangeError(`windowId must be above 0, got ${String(windowId)}`);
  if (applications !== undefined && !isListOfTexts(applications))
    throw new TypeError(`applications must be a list of names, got ${show(applications)}`);
  return platform === 'darwin' || platform === 'win32'
    ? applicationFocus(platform, host, applications)
    : x11Focus(host, windowId);
}
