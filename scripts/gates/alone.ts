/**
 * What comes of a red test of whole programs when it has the machine to itself.
 *
 * @module
 */
import { relative } from 'node:path';

import { bin, node, root } from './run.ts';

/** The part of vitest's JSON report that is read here. */
export interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    /** The first error around its tests: it did not load, or left something behind. */
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[];
    }[];
  }[];
}

/** Tests that wait for processes, sockets and engines; all others have a clock of their own, and are red by their fault. */
const waiting = /^test\/(?:integration|interop)\//;
/** More than so many red files of all that a command plays are no bad luck. */
export const MOST_FILES = 3;
/** So often a file has to be green. */
const TIMES = 3;

/** The files of a red run that may be tried again, or none if anything else was red. */
function toTry(report: Report, output: string, most: number): readonly string[] {
  const red = report.testResults.filter(({ status }) => status === 'failed');
  // A file that did not load is broken, and no neighbour's fault.
  if (red.some(({ assertionResults }) => assertionResults.length === 0)) return [];
  const left = [...output.matchAll(/This error originated in "([^"]+)" test file/g)].map(([, file]) => file ?? '');
  // A worker that died is nobody's file, and must not be lost behind a red test that is tried again.
  const outside = Number(/^\s*Errors\s+(\d+) error/m.exec(output)?.[1] ?? 0);
  if (outside > left.length) return [];
  const files = [...new Set([...red.map(({ name }) => relative(root, name)), ...left])];
  return files.length <= most && files.every((file) => waiting.test(file)) ? files : [];
}

const firstLine = (text = ''): string => text.split('\n')[0] ?? '';

/**
 * One line for each thing that is red: a test, or what is around the tests of a file; where it is, and the first line of what it said. A
 * file whose tests are all green is red if it did not load, or left something behind.
 */
export function tellRed(report: Report): string[] {
  return report.testResults.flatMap(({ name, status, message = '', assertionResults }) => {
    const file = relative(root, name);
    const red = assertionResults.filter((test) => test.status === 'failed');
    const isRedItself = message !== '' || (status === 'failed' && red.length === 0);
    return [
      ...red.map(({ fullName, failureMessages = [] }) => `${file} > ${fullName}: ${firstLine(failureMessages[0])}`),
      ...(isRedItself ? [`${file}: ${firstLine(message) || 'something around its tests'}`] : []),
    ];
  });
}

/** Plays one file without neighbours, and says whether it was green. */
export async function playFile(file: string, env: Readonly<Record<string, string>>): Promise<boolean> {
  const args = ['run', file, '--silent=passed-only'];
  const { ok } = await node(bin('vitest'), args, { timeoutMs: 1_200_000, env });
  console.log(`     alone: ${file}: ${ok ? 'green' : 'red'}`);
  return ok;
}

/**
 * Plays the red files of a run again, each alone.
 *
 * @param output What vitest printed: errors outside of tests stand there and not in its report.
 * @param most So many files at most.
 * @returns One line for each thing that was red, if all files were green each time; nothing if the run stays red.
 */
export async function tryAlone(
  report: Report,
  output: string,
  play: (file: string) => Promise<boolean>,
  most: number = MOST_FILES,
): Promise<string[]> {
  const files = toTry(report, output, most);
  if (files.length === 0) return [];
  for (let time = 0; time < TIMES; time++) {
    for (const file of files) {
      if (!(await play(file))) return [];
    }
  }
  const said = tellRed(report);
  return said.length > 0 ? said : files.map((file) => `${file}: an error outside of its tests`);
}
