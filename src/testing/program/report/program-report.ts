/**
 * What a check says, as data: runs with their evidence, and over the runs the worst and the median.
 *
 * @module
 */
import type { ModelDialect } from '../../model-server/reading/history.ts';
import type { ProgramCheckName } from '../checks/check.ts';
import type { ProcessRow } from '../outside/processes.ts';
import { worstOf, type CheckStatus, type FindingName, type ProgramFinding } from '../stage/findings.ts';
import type { TimelineEntry } from '../stage/timeline.ts';

/**
 * A request as the report shows it.
 *
 * @since 0.1.0
 */
export interface ReportedRequest {
  /** Milliseconds since the program was started. */
  readonly atMs: number;
  readonly dialect: ModelDialect;
  /** Whether it belongs to the conversation, and not beside it. */
  readonly isMain: boolean;
  readonly status: number | undefined;
  /** Why it was refused, in the provider's words. */
  readonly refusal: string | undefined;
  /** When its connection ended, and whether the program ended it. */
  readonly closedAtMs: number | undefined;
  readonly closedEarly: boolean;
}

/**
 * One run of one check, with what was seen.
 *
 * @since 0.1.0
 */
export interface ProgramCheckRun {
  readonly status: CheckStatus;
  /** Why it does not apply, or where it broke off; empty if it was played to its end. */
  readonly why: string;
  readonly findings: readonly ProgramFinding[];
  readonly timeline: readonly TimelineEntry[];
  readonly requests: readonly ReportedRequest[];
  /** What the next request tells of the stopped turn, an item a line. */
  readonly words: readonly string[];
  /** The program and its processes before the stop, and at the end of the run. */
  readonly before: readonly ProcessRow[];
  readonly after: readonly ProcessRow[];
  /** The last lines of the screen. */
  readonly screen: string;
}

/**
 * A finding over all runs of a check.
 *
 * @since 0.1.0
 */
export interface SummedFinding {
  readonly about: FindingName;
  /** Its worst. */
  readonly status: CheckStatus;
  /** What was seen in the worst run. */
  readonly sentence: string;
  /** In how many of how many runs it was as it should be. */
  readonly good: number;
  readonly of: number;
  readonly medianMs: number | undefined;
  readonly worstMs: number | undefined;
}

/**
 * One check over its runs.
 *
 * @since 0.1.0
 */
export interface ProgramCheckResult {
  readonly name: ProgramCheckName;
  readonly asks: string;
  readonly reason: string;
  /** The worst of its runs. */
  readonly status: CheckStatus;
  readonly findings: readonly SummedFinding[];
  readonly runs: readonly ProgramCheckRun[];
}

/**
 * What was found about a program.
 *
 * @since 0.1.0
 */
export interface ProgramReport {
  readonly program: string;
  /** What it says its version is. */
  readonly version: string | undefined;
  readonly node: string;
  readonly platform: string;
  /** When the check began, ISO 8601. */
  readonly date: string;
  /** The protocol that it speaks with the model, and the tool in which it runs commands. */
  readonly dialect: ModelDialect | undefined;
  readonly shellTool: string | undefined;
  /** How much slower than usual the machine was at most; the limits were up to that much longer. */
  readonly slowness: number;
  /** Whether it had namespaces of its own: only the loopback, and everything dies with the check. */
  readonly isContained: boolean;
  /** Why nothing could be checked; `undefined` if something was. */
  readonly unchecked: string | undefined;
  readonly checks: readonly ProgramCheckResult[];
  /** The worst of the checks. */
  readonly status: CheckStatus;
}

function median(values: readonly number[]): number | undefined {
  return [...values].sort((one, other) => one - other)[Math.floor((values.length - 1) / 2)];
}

/** The first of those that are the worst. */
function worstIn(findings: readonly ProgramFinding[]): ProgramFinding | undefined {
  const status = worstOf(findings.map((finding) => finding.status));
  return findings.find((finding) => finding.status === status);
}

/** Sums the findings of several runs, each thing once. */
export function sumFindings(runs: readonly Pick<ProgramCheckRun, 'findings'>[]): readonly SummedFinding[] {
  const all = runs.flatMap(({ findings }) => findings);
  const keys = [...new Set(all.map(keyOf))];
  return keys.flatMap((key) => {
    // A run may look at one thing twice: it is as it was at its worst.
    const own = runs.flatMap(({ findings }) => worstIn(findings.filter((finding) => keyOf(finding) === key)) ?? []);
    const worst = worstIn(own);
    if (worst === undefined) return [];
    const times = own.flatMap(({ ms }) => (ms === undefined ? [] : [ms]));
    return [
      {
        about: worst.about,
        status: worst.status,
        sentence: worst.sentence,
        good: own.filter((finding) => finding.status === 'passed').length,
        of: own.length,
        medianMs: median(times),
        worstMs: times.length === 0 ? undefined : Math.max(...times),
      },
    ];
  });
}

/** Facts are told apart by what they say. */
const keyOf = ({ about, sentence }: ProgramFinding): string =>
  about === 'fact' ? `fact ${sentence.replace(/\d+/g, '#')}` : about;
