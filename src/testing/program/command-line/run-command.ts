/**
 * `desist check`: from the arguments to the exit code.
 *
 * @module
 */
import { statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { CancelledError, type CancellationToken } from '../../../index.ts';
import { checkProgram } from '../check-program.ts';
import type { ProgramCheckName } from '../checks/check.ts';
import { probeProgram } from '../probe-program.ts';
import type { ProgramProfile } from '../profile.ts';
import { formatProbe, formatReport } from '../report/format-report.ts';
import type { ProgramReport } from '../report/program-report.ts';
import { reportPage } from '../report/report-page.ts';
import type { CheckStatus } from '../stage/findings.ts';
import { readArguments, usage, UsageError } from './arguments.ts';
import { canContain, INSIDE, runContained } from './containment.ts';
import { loadProfile } from './load-profile.ts';

/** What the command needs of the world. */
export interface CommandWorld {
  readonly env: NodeJS.ProcessEnv;
  /** How this command is started again, for the inside of namespaces. */
  readonly self: readonly string[];
  /** That of the package. */
  readonly version: () => string;
  /** Cancelled when the person presses Ctrl+C, or the command is terminated. */
  readonly token?: CancellationToken | undefined;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/**
 * Runs the command.
 *
 * @returns The exit code: 0 nothing failed, 1 something did, 2 nothing could be checked, or not all of it, 130 it was stopped.
 */
export async function runCommand(args: readonly string[], world: CommandWorld): Promise<number> {
  try {
    return await run(args, world);
  } catch (error) {
    if (error instanceof CancelledError) {
      world.err('stopped: what ran is ended, and what was made is removed\n');
      return 130;
    }
    world.err(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
}

/** A check that was not played has shown nothing: CI must not read it as a promise kept. */
const exitCodes: Readonly<Record<CheckStatus, number>> = {
  passed: 0,
  noted: 0,
  failed: 1,
  unplayed: 2,
  'not-applicable': 2,
};

/** See {@link runCommand}. */
export function exitCodeOf({ unchecked, status }: Pick<ProgramReport, 'unchecked' | 'status'>): number {
  return unchecked === undefined ? exitCodes[status] : 2;
}

/** A file of the person's folder by its whole path: the program works in a folder of its own. A program without a slash is the system's. */
function absolute(word: string, index: number): string {
  if (index === 0 && !word.includes('/')) return word;
  const path = resolve(word);
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true ? path : word;
}

/** Before minutes of work, and not after them. */
function checkPage(path: string): void {
  const isFolder = (at: string): boolean => statSync(at, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder(path) || !isFolder(dirname(resolve(path)))) {
    throw new UsageError(`--html must be a file in a folder that is there, got ${JSON.stringify(path)}`);
  }
}

async function run(args: readonly string[], { env, self, version, token, out, err }: CommandWorld): Promise<number> {
  const read = readArguments(args);
  if (read.isHelp) {
    out(usage);
    return 0;
  }
  if (read.isVersion) {
    out(`${version()}\n`);
    return 0;
  }
  const profile: ProgramProfile =
    read.profile === undefined ? { command: read.command.map(absolute) } : await loadProfile(read.profile);
  if (read.html !== undefined) checkPage(read.html);
  const isInside = env[INSIDE] !== undefined;
  if (read.isContained && !isInside) {
    if (canContain()) return await runContained([...self, ...args], token);
    err('(not contained: the system gives no namespaces to this user)\n');
  }
  if (read.isProbe) {
    const probe = await probeProgram(profile, { token });
    out(read.isJSON ? `${JSON.stringify(probe, null, 2)}\n` : `${formatProbe(probe)}\n`);
    return probe.requests.length > 0 ? 0 : 2;
  }
  const report = await checkProgram(profile, {
    only: read.only as readonly ProgramCheckName[] | undefined,
    runs: read.runs,
    isContained: isInside,
    token,
    onResult: ({ name, status }) => {
      err(`${name}: ${status}\n`);
    },
  });
  out(read.isJSON ? `${JSON.stringify(report, null, 2)}\n` : `${formatReport(report)}\n`);
  if (read.html !== undefined) await writeFile(read.html, reportPage(report));
  return exitCodeOf(report);
}
