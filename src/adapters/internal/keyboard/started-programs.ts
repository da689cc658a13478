/**
 * Which programs this process starts, whoever starts them: between two of them the terminal may need to be taken up.
 *
 * Prior art: the `child_process` channel of `node:diagnostics_channel`. A program that is waited for synchronously is not on it.
 *
 * @module
 */
import { isObject, type Releasable } from '../../../core/inside.ts';
import { nodeModule } from '../node-module.ts';

/** What of a child process is used. */
interface Started {
  once(event: 'exit', listener: () => void): unknown;
  off(event: 'exit', listener: () => void): unknown;
}

/** Has `fn` called before each program is started, and when it has ended: before whoever waits for that. */
export function onPrograms(fn: () => void): Releasable {
  const { subscribe, unsubscribe } = nodeModule('node:diagnostics_channel');
  const programs = new Set<Started>();
  const told = (): void => fn();
  const started = (message: unknown): void => {
    told();
    const { process: program } = (isObject(message) ? message : {}) as { readonly process?: Started };
    if (program === undefined) return;
    programs.add(program);
    program.once('exit', told);
  };
  subscribe('child_process', started);
  return {
    release: () => {
      unsubscribe('child_process', started);
      for (const program of programs) program.off('exit', told);
    },
  };
}
