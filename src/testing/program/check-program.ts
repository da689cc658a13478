/**
 * Checks a program from outside: plays every check several times against a scripted model, and reports what was seen.
 *
 * @module
 */
import type { OptionsOnly } from '../../core/inside.ts';
import { mkdtempSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import {
  optionalFlag,
  requireFunction,
  requireMs,
  requireOptions,
  requireWhole,
  show,
  tokenOf,
  type OptionNames,
  type TokenLike,
} from '../../core/inside.ts';
import type { ModelRequest } from '../model-server/request-record.ts';
import type { Check, ProgramCheckName } from './checks/check.ts';
import { checks } from './checks/index.ts';
import { acquaint, type Acquaintance } from './conversation/acquaintance.ts';
import { loadPseudoTerminals, type PseudoTerminals } from './outside/pseudo-terminal.ts';
import { fillIn } from './profile-places.ts';
import { readProfile } from './profile-reading.ts';
import { takesOnePrompt, throughOf, type ProgramProfile } from './profile.ts';
import {
  sumFindings,
  type ProgramCheckResult,
  type ProgramCheckRun,
  type ProgramReport,
} from './report/program-report.ts';
import { NotApplicable, Unplayed, worstOf, type CheckStatus } from './stage/findings.ts';
import { noTool, shellToolOf } from './stage/named-tools.ts';
import { Patience } from './stage/patience.ts';
import { smallReply } from './conversation/small-reply.ts';
import { Stage, type StageSetup } from './stage/stage.ts';
import { versionOf } from './stage/version.ts';

/**
 * Options of {@link checkProgram}.
 *
 * @since 0.1.0
 */
export interface CheckProgramOptions extends OptionsOnly {
  /** Only these checks; by default all. */
  readonly only?: readonly ProgramCheckName[] | undefined;
  /** How often each is played. Default 3. */
  readonly runs?: number | undefined;
  /** For how long nothing may come after a stop, ms, on a machine of usual speed. Default 3000. */
  readonly watchMs?: number | undefined;
  /** After how long what lives is said to live on, ms, on a machine of usual speed. Default 8000. */
  readonly goneMs?: number | undefined;
  /** The package that makes pseudo-terminals; by default `@lydell/node-pty` or `node-pty` is looked up. */
  readonly terminals?: PseudoTerminals | undefined;
  /** Whether this process runs in namespaces of its own; it is only reported. Default `false`. */
  readonly isContained?: boolean | undefined;
  /** Cancelling it ends the check: what runs is killed, what was made is removed, and the call rejects. */
  readonly token?: TokenLike | undefined;
  /** Called once a check has been played. */
  readonly onResult?: ((result: ProgramCheckResult) => void) | undefined;
}

const SCREEN_LINES = 12;
const LINE_CHARACTERS = 500;

/**
 * Plays the checks with a program: a scripted model server on the loopback, an empty home, a real pseudo-terminal, a prompt, a call of the
 * program's own shell tool, and a stop – and says, with evidence, what stopped and what did not.
 *
 * It runs commands on this machine that are hard to end, for as long as the program lets them; they are killed in the end. POSIX only.
 *
 * @checkpoint always – with a token
 * @cleanup Every socket and file of a run is gone when it ends, and every process that is known as its own: by descent and, on Linux, by
 * its environment or its working folder. One that has left all three dies with the namespaces of `desist check`, and without them lives on.
 * @param profile The program.
 * @param options Which checks, how often, how long.
 * @returns The report; a failed check is data and no error.
 * @throws TypeError, RangeError – a profile or an option that makes no sense. Error – there is no pseudo-terminal. CancelledError – the
 * token was cancelled; everything is gone by then.
 * @example
 * ```ts
 * import { checkProgram, formatReport } from 'desist/testing/program'
 *
 * const agent = `require('node:http').request(process.env.ANTHROPIC_BASE_URL, { method: 'HEAD' }).end()`
 * const report = await checkProgram(
 *   { name: 'mute', command: [process.execPath, '-e', agent, '{prompt}'], through: 'lines' },
 *   { only: ['stream'], runs: 1 },
 * )
 * report.status // => 'not-applicable'
 * formatReport(report).includes('never asked the model') // => true
 * ```
 * @since 0.1.0
 */
export async function checkProgram(profile: ProgramProfile, options: CheckProgramOptions = {}): Promise<ProgramReport> {
  readProfile(profile);
  const { runs, watchMs, goneMs, isContained, onResult, token, chosen } = readOptions(options);
  if (process.platform === 'win32') throw new Error('a program is checked on a POSIX system');
  if (/[^\w./+@%-]/.test(tmpdir())) {
    // The commands of the model are read by shells of any kind.
    throw new Error(`the folder of temporary files must have a plain path: set TMPDIR, which is ${tmpdir()}`);
  }
  const date = new Date().toISOString();
  const terminals = await terminalsFor(profile, options.terminals);
  const folder = mkdtempSync(join(tmpdir(), 'desist-check-'));
  const [home, work] = [join(folder, 'home'), join(folder, 'work')];
  for (const path of [home, work]) mkdirSync(path);
  const patiences: Patience[] = [];
  const setup = async (known?: Acquaintance): Promise<StageSetup> => {
    const patience = await Patience.begin(token);
    patiences.push(patience);
    return { profile, terminals, home, work, known, watchMs, goneMs, patience };
  };
  try {
    const { known, why } = await meet(await setup());
    const request = known?.request;
    const isWrong = request !== undefined && profile.shell !== undefined && shellToolOf(request, profile) === undefined;
    const unchecked = isWrong ? noTool(request, 'shell', profile.shell) : request === undefined ? why : undefined;
    const results: ProgramCheckResult[] = [];
    for (const check of unchecked === undefined ? chosen : []) {
      const played: ProgramCheckRun[] = [];
      for (let run = 1; run <= runs; run++) played.push(await playCheck(check, await setup(known), run));
      const result: ProgramCheckResult = {
        name: check.name,
        asks: check.asks,
        reason: check.why,
        status: worstOf(played.map(({ status }) => status)),
        findings: sumFindings(played),
        runs: played,
      };
      results.push(result);
      onResult?.(result);
    }
    return {
      program: profile.name ?? basename(fillIn(profile.command[0] ?? '', { url: '', home, work, mcp: '' })),
      version: await versionOf(await setup()),
      node: process.version,
      platform: `${process.platform} ${process.arch}`,
      date,
      dialect: request?.dialect,
      shellTool: request === undefined ? undefined : shellToolOf(request, profile)?.name,
      slowness: Math.round(Math.max(...patiences.map(({ factor }) => factor)) * 10) / 10,
      isContained,
      unchecked,
      checks: results,
      status: worstOf(results.map(({ status }) => status)),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}

const optionNames: OptionNames<CheckProgramOptions> = {
  ...{ only: 1, runs: 1, watchMs: 1, goneMs: 1, terminals: 1, isContained: 1, token: 1, onResult: 1 },
};

/** What no timer waits for would be over at once. */
const LONGEST_MS = 2 ** 31 - 1;

function readOptions(options: CheckProgramOptions) {
  requireOptions(options, optionNames);
  const { runs = 3, watchMs = 3000, goneMs = 8000, only, isContained, onResult, token } = options;
  requireWhole('runs', runs, 1);
  for (const [name, ms] of Object.entries({ watchMs, goneMs })) {
    if (requireMs(name, ms, 'finite') > LONGEST_MS)
      throw new RangeError(`${name} must be at most ${String(LONGEST_MS)} ms, got ${String(ms)}`);
  }
  if (onResult !== undefined) requireFunction('onResult', onResult);
  return {
    ...{ runs, watchMs, goneMs, onResult, chosen: checksOf(only) },
    isContained: optionalFlag('isContained', isContained),
    token: token === undefined ? undefined : tokenOf(token),
  };
}

function checksOf(only: readonly ProgramCheckName[] | undefined): readonly Check[] {
  if (only === undefined) return checks;
  const given: unknown = only;
  if (!Array.isArray(given)) throw new TypeError(`only must be a list of names of checks, got ${show(only)}`);
  if (only.length === 0) throw new RangeError('only must name a check, got []');
  const unknown = only.find((name) => !checks.some((check) => check.name === name));
  if (unknown !== undefined) {
    throw new RangeError(
      `only must be of ${checks.map(({ name }) => name).join(', ')}, got ${JSON.stringify(unknown)}`,
    );
  }
  return checks.filter(({ name }) => only.includes(name));
}

/** The package for programs in a terminal; none for the others. */
export async function terminalsFor(
  profile: ProgramProfile,
  given: PseudoTerminals | undefined,
): Promise<PseudoTerminals | undefined> {
  if (given !== undefined) requireFunction('terminals.spawn', (given as Partial<PseudoTerminals> | null)?.spawn);
  return throughOf(profile) === 'terminal' ? (given ?? (await loadPseudoTerminals())) : undefined;
}

/** Says one thing, and sees how the program asks: which protocol, which tools, and what beside its conversation. */
async function meet(setup: StageSetup): Promise<{ readonly known?: Acquaintance | undefined; readonly why: string }> {
  const greetings = new Map<ModelRequest, string>();
  const stage = await Stage.open(setup, (request, n) => {
    greetings.set(request, smallReply(request, `Hello ${String(n)}.`));
    return greetings.get(request) ?? '';
  });
  try {
    await stage.start();
    await stage.say('begin');
    await stage.until(() => stage.main.length > 0 || stage.driver.end !== undefined, 10_000);
    await stage.settled();
    const { screen } = stage.driver;
    const isSeen = (request: ModelRequest): boolean => screen.includes(greetings.get(request) ?? '\0');
    const known = acquaint(stage.main, stage.conversation.said, isSeen);
    // What is refused never reaches the script.
    const refusal = stage.server.requests.find((one) => one.refusal !== undefined)?.refusal;
    const others = stage.server.unknownRequests.map(
      ({ method, path, status }) => `${method} ${path} – ${String(status)}`,
    );
    const but = others.length === 0 ? '' : `, but sent ${[...new Set(others)].slice(0, 3).join(', ')}`;
    const asked = refusal === undefined ? `never asked the model${but}` : `asked the model in vain (${refusal})`;
    const { end } = stage.driver;
    const hasCrashed = known !== undefined && (end?.code ?? 0) !== 0 && !takesOnePrompt(setup.profile);
    const how = hasCrashed ? `ended with ${String(end?.code)} once it was answered` : asked;
    return {
      known: hasCrashed ? undefined : known && { ...known, endsWithAnswer: end !== undefined },
      why: `the program ${how}; its screen says:\n${lastLines(screen)}`,
    };
  } catch (error) {
    if (!(error instanceof Unplayed)) throw error;
    // Its last words may still be on their way.
    await stage.watch(100);
    return { why: `${error.message}\n${screenOf(stage)}` };
  } finally {
    await stage.close();
  }
}

async function playCheck(check: Check, setup: StageSetup, run: number): Promise<ProgramCheckRun> {
  const stage = await Stage.open(setup, check.script);
  let why = '';
  let brokenOff: CheckStatus = 'unplayed';
  let screen = '';
  try {
    try {
      await stage.start();
      await check.play(stage, run);
    } catch (error) {
      setup.patience.token?.throwIfCancelled();
      // What breaks one run is said of that run, and takes no other with it.
      const words = error instanceof Error ? error.message : String(error);
      const isForeseen = error instanceof NotApplicable || error instanceof Unplayed;
      if (error instanceof NotApplicable) brokenOff = 'not-applicable';
      why = isForeseen ? words : `the run broke off: ${words}`;
    }
    screen = screenOf(stage);
  } finally {
    await stage.close();
  }
  const { findings, timeline, words, processes, server, conversation } = stage;
  const since = (at: number | undefined): number | undefined => (at === undefined ? undefined : timeline.since(at));
  const requests = server.requests.map((request) => {
    const { dialect, status, refusal, closedEarly, receivedAt, closedAt } = request;
    const isMain = conversation.requests.includes(request) || conversation.isOf(request);
    timeline.note(
      'model',
      `${isMain ? 'is asked' : 'is asked beside it'}${refusal === undefined ? '' : ', and refuses'}`,
      receivedAt,
    );
    if (closedEarly) timeline.note('program', 'closes the stream', closedAt);
    const atMs = timeline.since(receivedAt);
    return { atMs, dialect, isMain, status, refusal, closedAtMs: since(closedAt), closedEarly };
  });
  const worst = worstOf(findings.map((finding) => finding.status));
  const status = why === '' || worst === 'failed' ? worst : brokenOff;
  return { status, why, findings, timeline: timeline.entries, requests, words, ...processes, screen };
}

function screenOf(stage: Stage): string {
  try {
    return lastLines(stage.driver.screen);
  } catch {
    return '';
  }
}

/** The lines with something in them that stand lowest. */
export function lastLines(screen: string): string {
  const lines = screen.split('\n').filter((line) => line.trim() !== '');
  return lines
    .slice(-SCREEN_LINES)
    .map((line) => line.slice(0, LINE_CHARACTERS))
    .join('\n');
}
