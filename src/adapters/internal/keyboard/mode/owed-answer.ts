/**
 * Reads an answer that the terminal still owes when the process ends: the shell would take it for keys.
 *
 * Invariant: it blocks the process for no longer than a person notices at an exit, and reads no further than the answer.
 *
 * Prior art: vim, which reads what is left of the answers to its questions at its end.
 *
 * @module
 */
import { nodeModule } from '../../node-module.ts';

/** Most lines answer within this; on a slower one the shell gets the answer after all. */
const limitMs = 300;

/** Between two looks. */
const pauseMs = 5;

/** The slice of the system that is used. */
export interface OwedAnswerHost {
  /** Opens the terminal so that a read waits for nothing; a throw where there is none. */
  open(): number;
  /** What has come; `undefined` if that is nothing, a throw if nothing will. */
  read(file: number): string | undefined;
  close(file: number): void;
  now(): number;
  sleep(ms: number): void;
}

const thisHost: OwedAnswerHost = {
  open: () => {
    const { openSync, constants } = nodeModule('node:fs');
    return openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  },
  read: (file) => {
    const byte = Buffer.alloc(1); // what follows the answer is the shell's
    try {
      if (nodeModule('node:fs').readSync(file, byte) === 0) throw new Error('the terminal has hung up');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return undefined;
      throw error;
    }
    return byte.toString('latin1');
  },
  close: (file) => {
    nodeModule('node:fs').closeSync(file);
  },
  now: () => performance.now(),
  sleep: (ms) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  },
};

/**
 * Reads it, or gives up.
 *
 * @param answer Its last bytes.
 */
export function readOwedAnswer(answer: string, host: OwedAnswerHost = thisHost): void {
  try {
    const file = host.open();
    const end = host.now() + limitMs;
    let said = '';
    try {
      while (!said.endsWith(answer) && host.now() < end) {
        const text = host.read(file);
        if (text === undefined) host.sleep(pauseMs);
        else said += text;
      }
    } finally {
      host.close(file);
    }
  } catch {
    // No terminal is left that could owe us anything.
  }
}
