/**
 * The settings of a terminal as the kernel has them. A program that was killed leaves its own behind, and Node, which
 * knows only what it has set itself, would take those for what was found.
 *
 * Prior art: the shells, which note the settings before a job and put them back when it has died.
 *
 * @module
 */
import { nodeModule } from '../../node-module.ts';

/** Runs `stty` with a terminal as its input; what it prints, a throw where that fails. */
export type Stty = (terminal: number, argument: string) => string;

const stty: Stty = (terminal, argument) =>
  nodeModule('node:child_process').execFileSync('stty', [argument], {
    stdio: [terminal, 'pipe', 'ignore'],
    encoding: 'utf8',
    timeout: 1000,
  });

/**
 * Notes them, and puts them back when it is called; does nothing where there is no `stty`.
 *
 * @param terminal Its descriptor. We must be in front: a program in the background that changes it is stopped.
 */
export function noteSettings(terminal: number, run: Stty = stty): () => void {
  let found: string;
  try {
    found = run(terminal, '-g').trim();
  } catch {
    return () => undefined; // what the program leaves is what there will be
  }
  return () => {
    try {
      run(terminal, found);
    } catch {
      // There is no terminal left whose settings could matter.
    }
  };
}
