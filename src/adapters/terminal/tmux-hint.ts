/**
 * tmux holds an ESC back until it is sure that no key begins with it: by default half a second, for which nobody here is
 * to blame and everybody here is blamed.
 *
 * Prior art: `:checkhealth` of Neovim.
 *
 * @module
 */
import type * as childProcess from 'node:child_process';

import { reportKeyError } from '../internal/keyboard/key-stack.ts';
import { nodeModule } from '../internal/node-module.ts';

/** Longer than this a person notices. */
const noticedMs = 50;

/** The slice of the system that is used. */
export interface TmuxHost {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly execFile: typeof childProcess.execFile;
}

const thisHost: TmuxHost = {
  get env() {
    return process.env;
  },
  get execFile() {
    return nodeModule('node:child_process').execFile;
  },
};

/**
 * Says what to change in tmux, if we run in one that makes an ESC slow. Asks once, beside everything else.
 *
 * @param tell Called at most once; a throw is reported.
 */
export function hintAtTmux(tell: (hint: string) => void, host: TmuxHost = thisHost): void {
  if (host.env['TMUX'] === undefined) return;
  const asked = host.execFile('tmux', ['show-options', '-sv', 'escape-time'], { timeout: 2000 }, (error, text) => {
    const ms = Number(text);
    if (error !== null || !(ms > noticedMs)) return;
    try {
      tell(`tmux holds each ESC back for ${String(ms)} ms. In ~/.tmux.conf: set -sg escape-time 10`);
    } catch (failure) {
      reportKeyError(failure);
    }
  });
  asked.unref();
}
