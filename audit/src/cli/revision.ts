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
 * The source files that differ from a revision, with what they said then; nothing for one that was not there. Of a branch
 * that went on elsewhere, what counts is where this one left it: what was mended there was not added here.
 *
 * @throws {UsageError} Outside a repository, without git, or for a revision there is not.
 */
export function filesAt(revision: string, folder: string): Overlay {
  const top = realpathSync(git(['rev-parse', '--show-toplevel'], folder).trim());
  const commit = commonWith(commitOf(revision, folder), folder);
  const overlay = new Map<string, string | undefined>();
  // A renamed file is one that is gone and one that came: what was found in it is compared without its path.
  const changes = git(['diff', '--no-renames', '--raw', '--abbrev=64', '-z', commit, '--'], top).split('\0');
  const blobs: string[] = [];
  for (let index = 0; index + 1 < changes.length; index += 2) {
    const [, , blob = '', , status] = (changes[index] ?? '').split(' ');
    const path = changes[index + 1] ?? '';
    if (!source.test(path)) continue;
    overlay.set(join(top, path), undefined);
    if (status !== 'A') blobs.push(`${blob} ${join(top, path)}`);
  }
  for (const [path, text] of readBlobs(blobs, top)) overlay.set(path, text);
  for (const path of git(['ls-files', '--others', '--exclude-standard', '-z'], top).split('\0')) {
    if (source.test(path)) overlay.set(join(top, path), undefined);
  }
  return overlay;
}

/** All texts by one process, in the order they are asked for: a change may touch thousands of files. */
function* readBlobs(blobs: readonly string[], top: string): Generator<readonly [path: string, text: string]> {
  if (blobs.length === 0) return;
  const ids = blobs.map((each) => each.slice(0, each.indexOf(' ')));
  const all = run(['cat-file', '--batch'], top, `${ids.join('\n')}\n`);
  let at = 0;
  for (const each of blobs) {
    const start = all.indexOf('\n', at) + 1;
    const size = Number(all.toString('latin1', at, start).trim().split(' ')[2]);
    // A submodule that has the name of a source has no text.
    if (Number.isNaN(size)) at = start;
    else {
      yield [each.slice(each.indexOf(' ') + 1), all.toString('utf8', start, start + size)];
      at = start + size + 1;
    }
  }
}

/** The commit itself, where histories have nothing in common or are cut off. */
function commonWith(commit: string, folder: string): string {
  try {
    return git(['merge-base', commit, 'HEAD'], folder).trim();
  } catch {
    return commit;
  }
}

function commitOf(revision: string, folder: string): string {
  try {
    return git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`], folder).trim();
  } catch (error) {
    throw new UsageError(`--since: there is no revision '${revision}' here`, { cause: error });
  }
}

function git(args: readonly string[], cwd: string): string {
  return run(args, cwd, '').toString('utf8');
}

function run(args: readonly string[], cwd: string, input: string): Buffer {
  try {
    return execFileSync('git', args, { cwd, input, maxBuffer: 1 << 30, stdio: ['pipe', 'pipe', 'pipe'] });
  } catch (error) {
    const { stderr, message } = error as Error & { readonly stderr?: Buffer };
    throw new UsageError(`--since: git ${args[0] ?? ''}: ${String(stderr ?? '').trim() || message}`, { cause: error });
  }
}
