/**
 * The pseudo-terminal that programs run in: an optional package of the user's, looked up where the user works, or injected.
 *
 * @module
 */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * What the check needs of one pseudo-terminal; `node-pty` and its kin have it.
 *
 * @since 0.1.0
 */
export interface PseudoTerminal {
  readonly pid: number;
  /** Tells what the program writes. */
  onData(listener: (data: string) => void): unknown;
  /** Tells its end. */
  onExit(listener: (event: { readonly exitCode: number }) => void): unknown;
  /** Types. */
  write(data: string): void;
  /** Sends it a signal. */
  kill(signal?: string): void;
}

/**
 * The package that makes pseudo-terminals: the module namespace of `@lydell/node-pty` or `node-pty`.
 *
 * @since 0.1.0
 */
export interface PseudoTerminals {
  /** Starts a program in a terminal of its own. */
  spawn(
    file: string,
    args: string[],
    options: {
      readonly cols: number;
      readonly rows: number;
      readonly cwd: string;
      readonly name: string;
      readonly env: Record<string, string>;
    },
  ): PseudoTerminal;
}

const packages = ['@lydell/node-pty', 'node-pty'] as const;

function terminalsOf(module: unknown): PseudoTerminals | undefined {
  const spaces = [module, (module as { readonly default?: unknown } | undefined)?.default];
  return spaces.find(
    (one): one is PseudoTerminals => typeof (one as PseudoTerminals | undefined)?.spawn === 'function',
  );
}

/**
 * Loads the package that makes pseudo-terminals, from where this package is or from a folder.
 *
 * @param folder Where a user works; default the current folder.
 * @returns The first that is there.
 * @throws Error – none is installed; the message says how to get one.
 */
export async function loadPseudoTerminals(folder: string = process.cwd()): Promise<PseudoTerminals> {
  const here = createRequire(join(folder, 'index.js'));
  for (const name of packages) {
    for (const find of [() => name, () => pathToFileURL(here.resolve(name)).href]) {
      try {
        const specifier = find();
        const terminals = terminalsOf(await import(specifier));
        if (terminals !== undefined) return terminals;
      } catch {
        // Not here; the next place may have it.
      }
    }
  }
  throw new Error(
    'A program with a terminal needs a pseudo-terminal: npm install --save-dev @lydell/node-pty (or say through: "lines")',
  );
}
