/**
 * Runs one command and says how it ended.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root: string = fileURLToPath(new URL('../../', import.meta.url));

/** How a command ended. */
export interface Ended {
  readonly ok: boolean;
  /** Both streams, as they came. */
  readonly output: string;
  /** How many checks of its own it counted, if it counts. */
  readonly checks?: { readonly passed: number; readonly failed: number } | undefined;
  /** What it could not try here, in words. */
  readonly skipped?: readonly string[] | undefined;
}

/** What a command needs beside its words. */
export interface RunOptions {
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** When it is ended by force, in milliseconds; 10 minutes by default. */
  readonly timeoutMs?: number | undefined;
}

/** The script behind a package's command, so that it runs on this Node and not on whichever comes first in the path. */
export function bin(name: string, command: string = name): string {
  const folder = ['.', 'test/tools']
    .map((place) => join(root, place, 'node_modules', name))
    .find((place) => existsSync(join(place, 'package.json')));
  if (folder === undefined) throw new Error(`${name} is not installed`);
  const { bin: bins } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    readonly bin: string | Readonly<Record<string, string>>;
  };
  const path = typeof bins === 'string' ? bins : bins[command];
  if (path === undefined) throw new Error(`${name} has no command ${command}`);
  return join(folder, path);
}

/** The seed of all properties where `FC_SEED` sets none. */
export const defaultSeed = '1';

/**
 * What Node has made of the modules that it loaded: the sources of programs are read by hundreds of processes, and half of what
 * each computes is to take their types away.
 */
const compiled: string = join(root, '.artifacts/compiled');

/** Forgets modules that were compiled before: files that tests write for one process are among them, and are never read again. */
export function forgetCompiled(): void {
  rmSync(compiled, { recursive: true, force: true });
}

/**
 * This process's environment, with output that is read later: no colours, and nothing that asks for them. Properties have
 * the same seed in each run of the gates, so that a red one is red again; `FC_SEED` sets another.
 */
function plainEnv(): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _forced, ...env } = process.env;
  return { FC_SEED: defaultSeed, NODE_COMPILE_CACHE: compiled, ...env, CI: 'true', NO_COLOR: '1' };
}

/** Runs a program to its end. */
export function run(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
  const timeoutMs = options.timeoutMs ?? 600_000;
  return new Promise((resolve) => {
    const chunks: string[] = [];
    const child = spawn(program, args, {
      cwd: options.cwd ?? root,
      env: { ...plainEnv(), ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32' && program === 'npm',
    });
    const timer = setTimeout(() => {
      chunks.push(`\nnot finished within ${String(timeoutMs / 1000)} s: killed\n`);
      child.kill('SIGKILL');
    }, timeoutMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk));
    }
    child.on('error', (error) => chunks.push(String(error)));
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ ok: code === 0, output: chunks.join('') });
    });
  });
}

/** Runs a JavaScript or TypeScript file on this Node. */
export function node(script: string, args: readonly string[] = [], options: RunOptions = {}): Promise<Ended> {
  return run(process.execPath, [script, ...args], options);
}
