/**
 * Runs the demo without a terminal, as `npm start` does, and looks at what it leaves behind.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { createMark, type Found, type Mark } from './demo-processes.ts';
import { node } from './terminal-pty.ts';

/** The folder of the demo. */
export const demoFolder = fileURLToPath(new URL('../../../examples/agent/', import.meta.url));

/** Far beyond what the demo needs, also on a machine that does other things; then it is killed. */
const LIMIT_MS = 90_000;

/** What a run came to. */
export interface DemoResult {
  /** The exit code, or the signal that ended it. */
  readonly code: number | string | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Its processes that outlived it. */
  readonly left: readonly Found[];
  /** Its temporary files that outlived it. */
  readonly files: readonly string[];
}

export interface DemoOptions {
  /** On top of this process's environment. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Where it is started. */
  readonly cwd?: string | undefined;
  /** Another copy of the demo. */
  readonly folder?: string | undefined;
  /** Called with all output so far, each time there is more. */
  readonly onOutput?: ((text: string, run: { readonly mark: Mark; readonly pid: number }) => void) | undefined;
}

/** What a developer's shell may hold and the demo would heed. */
const heeded = /^(ANTHROPIC_|OPENAI_|NODE_OPTIONS$|NODE_ENV$|NODE_USE_ENV_PROXY$|VITEST)/;

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !heeded.test(name)));
}

export async function runDemo(args: readonly string[], options: DemoOptions = {}): Promise<DemoResult> {
  const { env = {}, cwd, folder = demoFolder, onOutput } = options;
  const mark = createMark();
  const temporary = await mkdtemp(join(tmpdir(), 'desist-demo-test-'));
  const child = spawn(node, [join(folder, 'main.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd,
    env: { ...environment(), ...mark.env, TMPDIR: temporary, ...env },
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  const closed = once(child, 'close');
  try {
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      onOutput?.(stdout, { mark, pid: child.pid ?? 0 });
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    // Not 'close': that waits for whoever inherited the pipes, and would hide that somebody did.
    const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
    const left = await mark.alive();
    await mark.killAll();
    await closed;
    return { code: code ?? signal, stdout, stderr, left, files: await readdir(temporary) };
  } finally {
    await mark.killAll();
    await rm(temporary, { recursive: true, force: true });
  }
}
