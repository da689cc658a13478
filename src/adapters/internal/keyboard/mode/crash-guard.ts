/**
 * Has the terminal put back even where no exit hook of ours runs: after SIGKILL, an abort, a crash of the engine.
 *
 * Invariant: what is guarded is the mode that we have set; a terminal in another mode belongs to somebody else by then.
 *
 * Prior art: the `stty -g` of shell scripts.
 *
 * @module
 */
import { notGuarded } from '../../guardian/guard-status.ts';
import { guardTerminal, type Guarded } from '../../guardian/guardian.ts';
import { nodeModule } from '../../node-module.ts';
import { terminalName } from './terminal-name.ts';

/** Reads the name and the mode of the terminal that a file descriptor is; `undefined` where that fails. */
function readMode(fd: number): { readonly path: string; readonly mode: string } | undefined {
  try {
    const text = nodeModule('node:child_process').execFileSync('/bin/sh', ['-c', 'tty && stty -g'], {
      stdio: [fd, 'pipe', 'ignore'],
      encoding: 'utf8',
      timeout: 2000,
    });
    const [name = '', mode] = text.split('\n');
    const path = terminalName(name);
    return path === undefined || mode === undefined ? undefined : { path, mode };
  } catch {
    return undefined;
  }
}

/**
 * Guards a terminal.
 *
 * @param fd The terminal.
 * @param setMode Puts the terminal into the mode found (`false`) or ours (`true`); called with both, ours last.
 * @param off Written to the terminal when it is put back: what switches off what we have switched on.
 * @returns Ends the guard, and says if there is none.
 */
export function guardMode(fd: number, setMode: (watched: boolean) => void, off: string): Guarded {
  setMode(false);
  const found = readMode(fd);
  setMode(true);
  const watched = found && readMode(fd);
  if (found === undefined || watched === undefined)
    return { unavailable: notGuarded('no-stty'), release: () => undefined };
  return guardTerminal({ path: found.path, found: found.mode, watched: watched.mode, off });
}
