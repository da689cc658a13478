/**
 * A classic agent in a shell with jobs: Ctrl+Z at its prompt, `fg`, and whether it still hears its person.
 *
 * @module
 */
import { join } from 'node:path';

import { openTerminal } from '../terminal-pty.ts';
import { planted, type Stage } from './criterion.ts';

const examples = join(import.meta.dirname, '../../../../examples/classic');

/** Stops the program at its prompt, brings it back, and asks; fails unless `answer` comes. */
export async function askAfterFg(
  folder: string,
  { plant, closers }: Stage,
  env: Readonly<Record<string, string>>,
  { prompt, question, answer }: { readonly prompt: RegExp; readonly question: string; readonly answer: RegExp },
): Promise<void> {
  const program = { MAIN: join(examples, folder, 'main.ts'), PS1: '$ ', ...env, ...planted(plant) };
  const screen = await openTerminal('', program, ['/bin/sh', '-i']);
  closers.push(() => screen.close());
  await screen.shows(/\$ /);
  await screen.answered('"$NODE" "$MAIN"\r', prompt);
  await screen.answered('\x1a', /Stopped[^]*\$ /);
  await screen.answered('fg\r', prompt);
  await screen.answered(`${question}\r`, answer);
  await screen.answered('\r', /\$ $/);
}
