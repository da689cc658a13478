/**
 * Files as they were at a revision of git.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { join } from 'node:path';

import { UsageError, type Overlay } from './project.ts';

const source = /\.[cm]?[jt]sx?$/;

/**
 * The source files that differ from a revision, with what they said then; nothing for one that was not there.
 *
 * @throws {UsageError} Outside a repository, without git, or for a revision there is not.
 */
export function filesAt(revision: string, folder: string): Overlay {
  const top = realpathSync(git(['rev-parse', '--show-toplevel'], folder).trim());
  const commit = commitOf(revision, folder);
  const overlay = new Map<string, string | undefined>();
  // A renamed file is one that is gone and one that came: what was found in it is compared without its path.
  const changes = git(['diff', '--no-renames', '--name-status', '-z', commit, '--'], top).split('\0');
  for (let index = 0; index + 1 < changes.length; index += 2) {
    const [status, path] = [changes[index] ?? '', changes[index + 1] ?? ''];
    if (source.test(path))
      overlay.set(join(top, path), status === 'A' ? undefined : git(['show', `${commit}:${path}`], top));
  }
  for (const path of git(['ls-files', '--others', '--exclude-standard', '-z'], top).split('\0')) {
    if (source.test(path)) overlay.set(join(top, path), undefined);
  }
  return overlay;
}

function commitOf(revision: string, folder: string): string {
  try {
    return git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`], folder).trim();
  } catch (error) {
    throw new UsageError(`--since: there is no revision '${revision}' here`, { cause: error });
  }
}

function git(args: readonly string[], cwd: string): string {
  try {
    return execFileSync('git', args, { cwd, encoding: 'utf8', maxBuffer: 1 << 28, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: string };
    throw new UsageError(`--since: git ${args[0] ?? ''}: ${(stderr ?? '').trim() || message}`, { cause: error });
  }
}
