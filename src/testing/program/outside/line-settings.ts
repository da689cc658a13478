/**
 * What a program has changed of the line discipline of its terminal, by the names that `stty` has for it.
 *
 * @module
 */

import { execFile } from 'node:child_process';

/** The settings of `stty -a`, GNU's or BSD's: flags, and what has a value. The size of the window is no setting. */
function settingsOf(shown: string): ReadonlySet<string> {
  const [first = '', ...rest] = shown.split('\n');
  const parts = rest.flatMap((line) => line.split(/;\s*/));
  const settings = parts.flatMap((part) =>
    part.includes(' = ') ? [part.trim()] : part.replace(/^\w+:/, '').trim().split(/\s+/),
  );
  return new Set([first.replace(/;.*/, ''), ...settings].filter((setting) => setting !== ''));
}

/** A note of a terminal, as it is now: the lines of `stty -g`, which has all, and of `stty -a`, which has names; nothing if it cannot be asked. */
export async function lineSettings(path: string): Promise<string | undefined> {
  return await new Promise((resolve) => {
    execFile('sh', ['-c', '{ stty -g; stty -a; } < "$0"', path], (error, stdout) => {
      resolve(error === null ? stdout.trim() : undefined);
    });
  });
}

/**
 * Compares two notes.
 *
 * @param before What was.
 * @param after What is now.
 * @returns What is set now and was not; `settings` if that has no name. Nothing is known of a terminal that could not be asked.
 */
export function changedSettings(before: string | undefined, after: string | undefined): readonly string[] | undefined {
  if (before === undefined || after === undefined) return undefined;
  const [saved, ...named] = before.split('\n');
  const [now, ...namedNow] = after.split('\n');
  if (saved === now) return [];
  const known = settingsOf(named.join('\n'));
  const changed = [...settingsOf(namedNow.join('\n'))].filter((setting) => !known.has(setting));
  return changed.length === 0 ? ['settings'] : changed;
}
