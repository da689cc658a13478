/**
 * A terminal that a program has: its keys, its signals and its turn, until it is given back.
 *
 * Invariants:
 * - **P1** SIGINT and SIGQUIT, which the terminal sends to us as well, are the program's and stop nothing here. So is one that
 *   ended it: on a busy machine we hear of it when the program has ended.
 * - **P2** A program waits for nobody; who wants the keyboard while it has it, waits.
 * - **P3** It is given back once, and whoever draws on the screen is told.
 *
 * Prior art: the foreground job of a shell.
 *
 * @module
 */
import type { Releasable } from '../../../core/inside.ts';
import { afterSignals, claimSignal } from '../process/process-hooks.ts';
import type { StdinOwner } from './stdin-owner.ts';

/** The terminal of one program. */
export interface ProgramLoan extends Releasable {
  /** Resolves when somebody beside us, who may be about to read on, takes no key of the program's. */
  readonly quiet: Promise<void>;
  /** Puts the settings back before the release, for somebody beside us who takes the terminal up first. */
  putBack(): void;
  /** The program was killed: what it left on at the terminal is switched off, and its settings go. To be said before the release. */
  killed(): void;
  /** Runs what belongs to the program: prompts that it opens do not wait for its end. */
  within<T>(fn: () => T): T;
}

/** One per keyboard. */
export class ProgramLoans {
  readonly #owner: Pick<StdinOwner, 'isHandedOver' | 'lendToProgram' | 'rest' | 'turns'>;
  readonly #listeners = new Set<() => void>();

  constructor(owner: Pick<StdinOwner, 'isHandedOver' | 'lendToProgram' | 'rest' | 'turns'>) {
    this.#owner = owner;
  }

  /** Has `fn` called whenever a program has given the terminal back: the screen is not as it was. */
  onReturn(fn: () => void): Releasable {
    this.#listeners.add(fn);
    return { release: () => void this.#listeners.delete(fn) };
  }

  /** Lends it now. */
  lend(): ProgramLoan {
    const owner = this.#owner;
    const turn = owner.turns.occupy();
    const loan = owner.lendToProgram();
    let isOpen = true;
    let isCatchingUp = false;
    const signals = (['SIGINT', 'SIGQUIT'] as const).map((signal) =>
      claimSignal(signal, () => owner.isHandedOver || isCatchingUp, 'terminal'),
    );
    const rest = async (): Promise<void> => {
      owner.rest();
      // A key may have called us, whose reader asks for the next one, and a read that the stream has put off is made in a later tick.
      await new Promise((resolve) => setImmediate(resolve));
      if (isOpen) owner.rest();
    };
    return {
      quiet: rest(),
      putBack: loan.putBack,
      killed: () => {
        if (!isOpen) return;
        loan.putBack(); // where we end with it, there is no release
        loan.clean();
      },
      within: (fn) => turn.within(fn),
      release: () => {
        if (!isOpen) return;
        isOpen = false; // P3
        isCatchingUp = owner.isHandedOver;
        loan.release();
        afterSignals(() => {
          for (const held of signals) held.release();
        });
        for (const told of [...this.#listeners]) told();
        turn.release(); // last: whoever waits has the keyboard now
      },
    };
  }
}
