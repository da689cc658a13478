/**
 * Runs vitest projects and counts what happened.
 *
 * @module
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { bin, node, root } from './run.ts';

/** What came of a run. */
export interface TestResult {
  readonly passed: number;
  readonly failed: number;
  /** Full titles. */
  readonly skipped: readonly string[];
  /** What to read if it failed: tests, a file that did not load, a coverage limit, an unhandled error. */
  readonly output: string;
  /** Whether vitest itself was content: coverage limits hold, nothing was left behind, every file loaded. */
  readonly ok: boolean;
}

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** The part of vitest's text that tells about failures; the list of passed files comes before it. */
function failures(text: string): string {
  const start = text.search(/^⎯+ (?:Failed|Unhandled)|^(?: ?ERROR|Error:)/m);
  return start === -1 ? text.slice(-5_000) : text.slice(start);
}

/**
 * Runs some projects of vitest.config.ts in one go.
 *
 * @param coverage Whether to measure, and to hold the limits.
 */
export async function runTests(projects: readonly string[], coverage: boolean): Promise<TestResult> {
  const file = join(root, '.artifacts', `vitest-${projects.join('-')}.json`);
  mkdirSync(join(root, '.artifacts'), { recursive: true });
  rmSync(file, { force: true });
  const args = ['run', ...projects.flatMap((project) => ['--project', project]), ...(coverage ? ['--coverage'] : [])];
  args.push('--reporter=default', '--reporter=json', `--outputFile.json=${file}`, '--silent=passed-only');
  const { ok, output } = await node(bin('vitest'), args, { timeoutMs: 2_700_000 });
  let report: Report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return { passed: 0, failed: 0, skipped: [], output, ok: false };
  }
  const tests = report.testResults.flatMap((suite) => suite.assertionResults);
  const count = (status: string): number => tests.filter((test) => test.status === status).length;
  const passed = count('passed');
  const failed = count('failed');
  const skipped = tests.filter(({ status }) => status !== 'passed' && status !== 'failed').map((test) => test.fullName);
  return { passed, failed, skipped, ok, output: ok ? '' : failures(output) };
}
