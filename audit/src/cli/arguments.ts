/**
 * The command line.
 *
 * @module
 */
import { parseArgs } from 'node:util';

import { UsageError } from './project.ts';

/** What is asked for. */
export interface Arguments {
  /** A `tsconfig.json`, or the folder of one. */
  readonly tsconfig: string;
  readonly json: boolean;
  /** A revision of git: only what was added since. */
  readonly since: string | undefined;
  /** How many findings are still a success; any number if not given. */
  readonly max: number | undefined;
  readonly takeSignal: boolean;
  readonly orphans: boolean;
  readonly help: boolean;
  readonly version: boolean;
}

/** What `--help` says. */
export const help = `desist-audit [tsconfig]: where does a stop get lost in this code?

  tsconfig       a tsconfig.json or the folder of one (default: this folder)

  --since REV    only what was added since a revision of git, uncommitted changes included
  --max N        exit with 1 if there are more than N findings
  --take-signal  also functions that leave out a signal they are offered: one in three is false
  --orphans      also requests that no signal is in reach of
  --json         an object for programs
  --version      the version
  --help         this text

Exit code: 0, whatever was found; 1 beyond --max; 2 if it could not be looked for,
or with --max not in every file.
A finding that you know better: // eslint-disable-next-line desist/pass-signal -- why
`;

/** @throws {UsageError} Naming what it does not know. */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals } = parse(args);
  const [tsconfig = '.', ...more] = positionals;
  if (more.length > 0) throw new UsageError(`one tsconfig at a time, got ${positionals.join(' and ')}`);
  if (values.since === '') throw new UsageError('--since takes a revision of git, got nothing');
  return {
    tsconfig,
    json: values.json,
    since: values.since,
    max: values.max === undefined ? undefined : readMax(values.max),
    takeSignal: values['take-signal'],
    orphans: values.orphans,
    help: values.help,
    version: values.version,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        since: { type: 'string' },
        max: { type: 'string' },
        'take-signal': { type: 'boolean', default: false },
        orphans: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false, short: 'h' },
        version: { type: 'boolean', default: false, short: 'v' },
      },
    });
  } catch (error) {
    // Node's message goes on with advice about "--", which is of no use here.
    const [line = 'unknown option'] = (error as Error).message.split(/\.\s/);
    throw new UsageError(`${line} (desist-audit --help)`, { cause: error });
  }
}

function readMax(text: string): number {
  const max = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(max) || max < 0) {
    throw new UsageError(`--max takes a whole number from 0, got '${text}'`);
  }
  return max;
}
