/**
 * Runs vitest projects and counts what happened.
 *
 * @module
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';

import { playFile, tellRed, tryAlone, type Report } from './alone.ts';
import { endLeftRunning, RUN_MARK } from './left-running.ts';
import { bin, defaultSeed, node, root } from './run.ts';

/** What came of a run. */
export interface TestResult {
  readonly passed: number;
  readonly failed: number;
  /** Full titles. */
  readonly skipped: readonly string[];
  /** Red beside others and green alone: what each said. They are counted by themselves, and are a fault to mend. */
  readonly unsteady: readonly string[];
  /** What is red, a line each: long output may be cut in its middle, and these are said again at its end. */
  readonly red: readonly string[];
  /** What to read if it failed: tests, a file that did not load, a coverage limit, an unhandled error. */
  readonly output: string;
  /** Whether vitest itself was content: coverage limits hold, nothing was left behind, every file loaded. */
  readonly ok: boolean;
}

/** A guardian may wait for its grace, on a machine that is slow. */
const MOST_MS_TO_END = 30_000;

/** The part of vitest's text that tells about failures; the list of passed files comes before it. */
function failures(text: string): string {
  const start = text.search(/^⎯+ (?:Failed|Unhandled)|^(?: ?ERROR|Error:)/m);
  return start === -1 ? text.slice(-5_000) : text.slice(start);
}

/** What a run of projects measures, and against what it plays. */
export interface TestOptions {
  /** How many files at once, if not as many as vitest.config.ts says. */
  readonly workers?: number | undefined;
  /** Whether to measure coverage, and to hold its limits. */
  readonly coverage: boolean;
  /** Whether to play both majors of the SDKs, to plant faults, and to try properties to the end. */
  readonly isLong: boolean;
}

/** One line for each red test, to run it again: its file, its name, and the seed of its properties. */
function again(report: Report): string {
  const lines = report.testResults.flatMap((suite) => {
    const file = relative(root, suite.name);
    const red = suite.assertionResults.filter(({ status }) => status === 'failed');
    // A file that did not load, or left something behind, has no red test.
    if (red.length === 0) return suite.status === 'failed' ? [`npx vitest run ${file}`] : [];
    const seed = process.env['FC_SEED'] ?? defaultSeed;
    return red.map(({ fullName }) => {
      const pattern = fullName.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
      return `FC_SEED=${seed} npx vitest run ${file} -t ${JSON.stringify(pattern)}`;
    });
  });
  return lines.length === 0 ? '' : `\n\nagain:\n${lines.join('\n')}\n`;
}

/** What a run of vitest left, before anything of it is tried again. */
export interface Played {
  readonly ok: boolean;
  readonly output: string;
  /** What vitest counted; missing if it did not come so far. */
  readonly report: Report | undefined;
  /** Processes that it left running, and that were ended. */
  readonly left: readonly string[];
  readonly options: TestOptions;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs some projects of vitest.config.ts in one go. */
export async function play(projects: readonly string[], options: TestOptions): Promise<Played> {
  const { coverage, isLong, workers } = options;
  const file = join(root, '.artifacts', `vitest-${projects.join('-')}.json`);
  mkdirSync(join(root, '.artifacts'), { recursive: true });
  rmSync(file, { force: true });
  const args = ['run', ...projects.flatMap((project) => ['--project', project]), ...(coverage ? ['--coverage'] : [])];
  if (workers !== undefined) args.push(`--maxWorkers=${String(workers)}`);
  args.push('--reporter=default', '--reporter=json', `--outputFile.json=${file}`, '--silent=passed-only');
  const mark = randomUUID();
  const env = {
    [RUN_MARK]: mark,
    ...(isLong ? { TEST_MAJORS: 'both' } : { TEST_MAJORS: 'newest', TEST_LONG: 'no', PROPERTY_SHARE: '0.1' }),
  };
  const { ok, output } = await node(bin('vitest'), args, { timeoutMs: 4_200_000, env });
  const left = (await endLeftRunning(mark, MOST_MS_TO_END)).map((command) => `left running: ${command}`);
  return { ok, output, report: readReport(file), left, options, env };
}

/** A run that was ended by force leaves no report, or half of one. */
function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}

/**
 * What came of a run. Its neighbours have ended: what was red beside them is tried again.
 *
 * @param mostAlone How many red files may be tried again, alone.
 */
export async function judge(
  { ok, output, report, left, options, env }: Played,
  mostAlone: number,
): Promise<TestResult> {
  if (report === undefined) return { passed: 0, failed: 0, skipped: [], unsteady: [], red: [], output, ok: false };
  const tests = report.testResults.flatMap((suite) => suite.assertionResults);
  const count = (status: string): number => tests.filter((test) => test.status === status).length;
  const passed = count('passed');
  const red = [...tellRed(report), ...left];
  const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed').map((test) => test.fullName);
  const isFinal = ok || options.coverage || left.length > 0;
  const unsteady = isFinal ? [] : await tryAlone(report, output, (file) => playFile(file, env), mostAlone);
  const counted = { passed, skipped, unsteady };
  if (unsteady.length > 0) return { ...counted, failed: 0, red: [], ok: true, output: '' };
  return {
    ...counted,
    failed: red.length,
    red,
    ok: ok && left.length === 0,
    output: ok ? '' : `${failures(output)}${again(report)}`,
  };
}
