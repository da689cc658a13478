/**
 * A keyboard that a prompt has, and what holds the process open for it.
 *
 * @module
 */
import type { Releasable } from '../../../../core/inside.ts';
import { keepAlive } from './keep-alive.ts';
import type { KeyReaderOptions, TerminalInput } from '../key-reader.ts';
import { hearKeys, type HearKey } from './prompt-ear.ts';

/** What of the owner is used. */
export interface PromptHost {
  /** There is no terminal: nothing is read, and nobody waits for a person. */
  readonly degraded: unknown;
  /** Gives the stream away. */
  readonly lendStream: () => Releasable;
}

/** One per keyboard. */
export class PromptLoans {
  readonly #input: TerminalInput;
  readonly #options: KeyReaderOptions;
  readonly #host: PromptHost;

  constructor(input: TerminalInput, options: KeyReaderOptions, host: PromptHost) {
    this.#input = input;
    this.#options = options;
    this.#host = host;
  }

  /**
   * Lends the keyboard to a prompt: cooked, paused, ref'd, as a program without us would find it.
   *
   * @param typed Text that the prompt shall read first.
   * @param hear Told of the keys meanwhile.
   */
  lend(typed: string, hear?: HearKey): Releasable {
    const loan = this.#host.lendStream();
    if (this.#host.degraded !== undefined) return loan;
    this.#input.ref?.();
    if (typed !== '') this.#input.unshift?.(typed, 'utf8');
    if (hear === undefined) return loan;
    const ear = hearKeys(this.#input, this.#options, hear);
    return {
      release: () => {
        ear.release();
        loan.release();
      },
    };
  }

  /** Holds the process open while somebody waits for the person, or for the keyboard. */
  keepAlive(): Releasable {
    return this.#host.degraded === undefined ? keepAlive(this.#options.clock) : { release: () => undefined };
  }
}
