/** Runs a fixture in a real pseudo-terminal and compares the terminal's settings before and after it. */
import { spawn, type IPty } from '@lydell/node-pty';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));
export const node = join(root, 'node_modules', '.bin', 'node');
export const fixture = fileURLToPath(new URL('terminal-agent.ts', import.meta.url));

/** `WORDS` are arguments behind the scene. The shell outlives the fixture, also after a Ctrl+C that was for both of them, asks `stty` what is left of the terminal, and waits until its last word was read. */
const script = `
ulimit -c 0
trap : INT
stty -a > "$DIR/before"
"$NODE" "$FIXTURE" "$SCENE" $WORDS 2> "$DIR/stderr"
code=$?
sleep "\${SETTLE:-0}"
stty -a > "$DIR/after"
echo "<exit $code>"
read -r _
`;

export interface Screen {
  /** Everything shown so far. */
  readonly text: () => string;
  readonly onData: (listener: (data: string) => void) => void;
  readonly type: (keys: string) => void;
  /** Its window gets another size. */
  readonly resize: (columns: number, rows: number) => void;
  /** The first match that ends after `from`; rejects after 10 s with what was shown instead. */
  readonly shows: (pattern: RegExp, from?: number) => Promise<RegExpExecArray>;
  /** Types, and waits for what comes of it. */
  readonly answered: (keys: string, pattern: RegExp) => Promise<RegExpExecArray>;
  /** Ends the shell; the fixture must have ended. */
  readonly finish: () => Promise<{ readonly before: string; readonly after: string; readonly stderr: string }>;
  /** Ends whatever still runs. */
  readonly close: () => Promise<void>;
}

/** A test whose fault is planted waits for its text in vain, and no longer than has to be. */
const shownWithinMs = Number(process.env['SHOWN_WITHIN_MS'] ?? 30_000);

/** Ends what is left of a session. Its leader may be gone. */
function endSession(session: number): void {
  if (!existsSync('/proc/self/stat')) return;
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    try {
      const text = readFileSync(`/proc/${name}/stat`, 'latin1');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      if (Number(fields[3]) === session) process.kill(Number(name), 'SIGKILL');
    } catch {
      // It has ended while we looked.
    }
  }
}

export async function openTerminal(
  scene: string,
  env: Readonly<Record<string, string>> = {},
  shell: readonly [string, ...string[]] = ['/bin/sh', '-c', script],
): Promise<Screen> {
  const [file, ...args] = shell;
  const dir = await mkdtemp(join(tmpdir(), 'desist-terminal-'));
  // What a shell may say of itself, and that nobody looks at the screen: Ink then draws its end alone.
  const said = /^(?:SSH_(?:CONNECTION|TTY|CLIENT)|ESCDELAY|CI|CONTINUOUS_INTEGRATION)$/;
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !said.test(name)));
  const pty: IPty = spawn(file, args, {
    cols: 100,
    rows: 30,
    env: { ...inherited, TERM: 'xterm-256color', DIR: dir, NODE: node, FIXTURE: fixture, SCENE: scene, ...env },
  });
  let shown = '';
  const waiting = new Set<() => void>();
  pty.onData((data) => {
    shown += data;
    for (const look of waiting) look();
  });
  let ended = false;
  const end = new Promise<void>((resolve) => {
    pty.onExit(() => {
      ended = true;
      resolve();
    });
  });

  const shows = (pattern: RegExp, from = 0): Promise<RegExpExecArray> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const match = pattern.exec(shown.slice(from));
        if (match === null) return;
        clearTimeout(timer);
        waiting.delete(look);
        resolve(match);
      };
      const timer = setTimeout(() => {
        waiting.delete(look);
        reject(new Error(`never saw ${String(pattern)} in:\n${shown.slice(from)}`));
      }, shownWithinMs);
      waiting.add(look);
      look();
    });

  async function close(): Promise<void> {
    if (!ended) pty.kill('SIGKILL');
    await end;
    // A shell that is killed tells nobody in its background.
    endSession(pty.pid);
    await rm(dir, { recursive: true, force: true });
  }

  const type = (keys: string): void => {
    pty.write(keys);
  };

  return {
    text: () => shown,
    onData: (listener) => {
      pty.onData(listener);
    },
    type,
    resize: (columns, rows) => {
      pty.resize(columns, rows);
    },
    shows,
    answered: (keys, pattern) => {
      const from = shown.length;
      type(keys);
      return shows(pattern, from);
    },
    finish: async () => {
      pty.write('\n');
      await end;
      const read = (name: string): Promise<string> => readFile(join(dir, name), 'utf8');
      return { before: await read('before'), after: await read('after'), stderr: await read('stderr') };
    },
    close,
  };
}
