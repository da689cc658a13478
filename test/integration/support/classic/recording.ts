/**
 * The recording in the README of a classic agent, compared with what the program shows.
 *
 * @module
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const examples = join(import.meta.dirname, '../../../../examples/classic');

/** What stands for the keys that were pressed, behind a line or on one of its own. */
const keys = /\s*←.*$/;

/** The lines of the last indented block: what was shown, without the command, the notes on keys and what was left out. */
export function recordingOf(folder: string): readonly string[] {
  const blocks = readFileSync(join(examples, folder, 'README.md'), 'utf8')
    .split(/\n(?! {4}|\n)/)
    .map((block) => block.split('\n').filter((line) => line.startsWith('    ')))
    .filter((lines) => lines.length > 2);
  const lines = blocks.at(-1) ?? [];
  return lines
    .map((line) => line.replace(keys, '').trim())
    .filter((line) => line !== '' && line !== '…' && !line.startsWith('$ '));
}

/** A line as it may be shown another time: only its figures differ. */
function patternOf(line: string): RegExp {
  const literal = line.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(literal.replaceAll(/\d+(?:\\\.\d+)?/g, '\\d+(?:\\.\\d+)?').replaceAll(/[⠀-⣿]/gu, '[⠀-⣿]'), 'u');
}

/** The lines of the recording that were not shown, each looked for behind the one before it. */
export function missingFrom(recording: readonly string[], shown: string): readonly string[] {
  let rest = shown;
  return recording.filter((line) => {
    const match = patternOf(line).exec(rest);
    if (match === null) return true;
    rest = rest.slice(match.index + match[0].length);
    return false;
  });
}
