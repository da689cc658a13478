/**
 * Finds the owner of a stream. It hangs on the stream itself under a registered symbol, so a second copy of the package
 * finds it too.
 *
 * @module
 */
import type { TerminalInput } from './key-reader.ts';
import { descriptorOf } from './mode/input-flow.ts';
import { StdinOwner, type StdinLease, type StdinOwnerOptions, type StdinUse } from './stdin-owner.ts';
import type { TerminalWishes } from './mode/terminal-switches.ts';
import { noteTerminal } from './watched-terminals.ts';

const key = Symbol.for('desist.stdin-owner.v1');

interface Owned extends TerminalInput {
  [key]?: StdinOwner | undefined;
}

/**
 * Takes a share in a stream's keyboard; the first share sets the owner up, the last one puts the terminal back.
 *
 * @param input The stream; what is no terminal gets an owner too, one that leaves the stream alone.
 * @param options Clock and timeout of the owner, if it is made now.
 * @param use What for; `true` is `keep-alive`, `false` is `watch`.
 * @param wishes What the terminal shall tell beyond its keys.
 */
export function acquireStdin(
  input: TerminalInput,
  options: StdinOwnerOptions,
  use: StdinUse | boolean,
  wishes?: TerminalWishes,
): StdinLease {
  const owner = ((input as Owned)[key] ??= makeOwner(input, options));
  return owner.lease(typeof use === 'string' ? use : use ? 'keep-alive' : 'watch', wishes);
}

function makeOwner(input: TerminalInput, options: StdinOwnerOptions): StdinOwner {
  const owner = new StdinOwner(input, options, () => {
    Reflect.deleteProperty(input, key);
    noted.release();
  });
  const noted = noteTerminal({
    get descriptor() {
      return descriptorOf(input);
    },
    get degraded() {
      return owner.degraded;
    },
    handOver: () => ({ ...owner.programs.lend(), caughtUp: () => owner.reader.caughtUp() }),
  });
  return owner;
}

/** The owner of a stream that somebody watches. */
export function findStdin(input: TerminalInput): StdinOwner | undefined {
  return (input as Owned)[key];
}
