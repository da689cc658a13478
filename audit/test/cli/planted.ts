/**
 * A project in a folder of its own, in a repository of its own, for the program to look at.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { main } from '../../src/cli/main.ts';

/** A planted project. */
export interface Planted {
  readonly folder: string;
  write(path: string, text: string): void;
  remove(path: string): void;
  git(...args: readonly string[]): void;
  /** Runs the program there. */
  audit(...args: readonly string[]): Ran;
  [Symbol.dispose](): void;
}

/** How the program ended. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** A configuration with few types: those of a browser and of Node take most of the time of a test. */
export const plain = JSON.stringify({
  compilerOptions: { target: 'es2022', module: 'nodenext', strict: true, noEmit: true, types: [], lib: ['es2018'] },
});

/** The types that are left out, as far as the planted files use them. */
export const globals = `
interface AbortSignal { readonly aborted: boolean; throwIfAborted(): void }
interface Response { readonly status: number; text(): Promise<string> }
declare function fetch(url: string, init?: { readonly signal?: AbortSignal }): Promise<Response>;
`;

/** Plants files and commits them. */
export function plant(files: Readonly<Record<string, string>>): Planted {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'desist-audit-')));
  const git = (...args: readonly string[]): void => {
    const who = ['-c', 'user.name=planted', '-c', 'user.email=planted@example.invalid', '-c', 'commit.gpgsign=false'];
    execFileSync('git', [...who, ...args], { cwd: folder, stdio: 'pipe' });
  };
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  git('init', '--quiet', '--initial-branch', 'main');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'first');
  return {
    folder,
    write,
    git,
    remove: (path) => {
      rmSync(join(folder, path));
    },
    audit(...args) {
      let [out, err] = ['', ''];
      const code = main(args, { cwd: folder, out: (text) => (out += text), err: (text) => (err += text) });
      return { code, out, err };
    },
    [Symbol.dispose]: () => {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
