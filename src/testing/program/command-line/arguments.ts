/**
 * The command line of `desist`: what it may say, and one clear line for everything else.
 *
 * @module
 */
import { parseArgs } from 'node:util';

/** An error whose message is all that a person needs to see. */
export class UsageError extends Error {}

/** What was asked for. */
export interface Arguments {
  readonly isHelp: boolean;
  readonly isVersion: boolean;
  /** The program and its arguments, behind `--`; none with a profile. */
  readonly command: readonly string[];
  /** The path of a profile. */
  readonly profile: string | undefined;
  readonly isProbe: boolean;
  readonly isJSON: boolean;
  /** Where the page goes. */
  readonly html: string | undefined;
  readonly only: readonly string[] | undefined;
  readonly runs: number | undefined;
  readonly isContained: boolean;
}

/** The help. */
export const usage = `usage: desist check [options] -- PROGRAM [ARGUMENTS]
       desist check [options] --profile FILE

  Starts a scripted model on the loopback and the program in a terminal with an empty home, types a prompt, lets the model call the
  program's own shell tool, presses ESC, and says what stopped. Exit code: 0 nothing failed, 1 something did, 2 something could not be checked.

  --profile FILE   how the program is spoken to, JSON or a module with a default export
  --probe          one prompt only: what arrived where, and what the screen says
  --only NAMES     stream, tool, batch, message, queued, retry, mcp, quit, terminate, hangup, kill, resume
  --runs N         how often each check is played (default 3)
  --json           the report as JSON
  --html FILE      the report as a page, with the timeline of each run
  --no-contain     without namespaces of its own, where the system has them
  --version        the version of the package
  --help           this text
`;

const options = {
  profile: { type: 'string' },
  probe: { type: 'boolean', default: false },
  only: { type: 'string' },
  runs: { type: 'string' },
  json: { type: 'boolean', default: false },
  html: { type: 'string' },
  'no-contain': { type: 'boolean', default: false },
  version: { type: 'boolean', short: 'v', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], allowPositionals: true, tokens: true, options });
  } catch (error) {
    // Node's message goes on with advice about "--", which means something else here.
    const [line = 'unknown option'] = (error as Error).message.split(/\.\s/);
    throw new UsageError(`${line} (desist --help)`);
  }
}

/**
 * Reads the command line.
 *
 * @throws UsageError – it makes no sense.
 */
export function readArguments(args: readonly string[]): Arguments {
  const { values, positionals, tokens } = parse(args);
  const end = tokens.find(({ kind }) => kind === 'option-terminator')?.index;
  const command = end === undefined ? [] : args.slice(end + 1);
  const before = positionals.slice(0, positionals.length - command.length);
  const isHelp = values.help || args.length === 0;
  const read: Arguments = {
    isHelp,
    isVersion: values.version,
    command,
    profile: values.profile,
    isProbe: values.probe,
    isJSON: values.json,
    html: values.html,
    only: values.only?.split(',').filter((name) => name !== ''),
    runs: values.runs === undefined ? undefined : Number(values.runs),
    isContained: !values['no-contain'],
  };
  if (isHelp || read.isVersion) return read;
  if (before[0] === undefined) throw new UsageError('say what to do: desist check -- PROGRAM (desist --help)');
  if (before[0] !== 'check') throw new UsageError(`there is no command ${JSON.stringify(before[0])} (desist --help)`);
  if (before.length > 1) throw new UsageError(`the program comes behind "--", got ${JSON.stringify(before[1])}`);
  if (command.length > 0 === (values.profile !== undefined)) {
    throw new UsageError('say which program: either behind "--" or in --profile FILE');
  }
  if (read.runs !== undefined && (!Number.isInteger(read.runs) || read.runs < 1)) {
    throw new UsageError(`--runs must be a whole number from 1, got ${JSON.stringify(values.runs)}`);
  }
  const idle = (['only', 'runs', 'html'] as const).find((name) => read.isProbe && values[name] !== undefined);
  if (idle !== undefined) throw new UsageError(`--probe plays no check: --${idle} is not for it`);
  if (read.only?.length === 0) throw new UsageError('--only must name a check: leave it out for all of them');
  return read;
}
