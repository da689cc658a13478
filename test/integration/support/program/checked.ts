/**
 * What the tests of `desist check` share: the agent that does everything right, what a report says, and a place of its own for the
 * temporary files of a file of tests.
 *
 * @module
 */
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { afterAll, beforeAll, expect } from 'vitest';

import {
  formatReport,
  type CheckProgramOptions,
  type ProgramProfile,
  type ProgramReport,
} from '../../../../src/testing/program/index.ts';
import { compiled } from '../../../support/compiled.ts';
import type { ProgramPromise } from '../../../../src/testing/program/profile.ts';

/** `CHECK_RUNS=20` plays each check so often. */
export const runs = Number(process.env['CHECK_RUNS'] ?? 1);
export const root = fileURLToPath(new URL('../../../../', import.meta.url));
export const folder = join(root, 'test/integration/support/program');
export const node = join(root, 'node_modules/.bin/node');

/** What fails is waited for to the end of its limit, so that is short; what passes comes when it comes. */
export const quick = { runs, watchMs: 300, goneMs: 300 } as const satisfies CheckProgramOptions;
export const patient = { ...quick, goneMs: 15_000 } as const satisfies CheckProgramOptions;

export const promises: readonly ProgramPromise[] = [
  ...(['tree-after-stop', 'tree-after-quit', 'tree-after-terminate', 'tree-after-hangup'] as const),
  ...(['tree-after-kill', 'batch', 'told', 'screen'] as const),
];

/** An agent that does everything right, or has one gap. */
export function good(gap = ''): ProgramProfile {
  return {
    name: gap === '' ? 'good' : `good, without ${gap}`,
    command: [node, join(folder, 'good-agent.ts')],
    resume: [node, join(folder, 'good-agent.ts'), '--resume'],
    ready: '(ready|again)\\n> $',
    env: { ...compiled, MCP: '{mcp}', GAP: gap },
    promises,
  };
}

/** What of a report came out so, by check and finding. */
export const found = ({ checks }: ProgramReport, ...statuses: readonly string[]): string[] =>
  checks.flatMap(({ name, findings }) =>
    findings.filter(({ status }) => statuses.includes(status)).map(({ about }) => `${name}: ${about}`),
  );
/** What happened in the checks that did not pass, with the last screen. */
const storiesOf = ({ checks }: ProgramReport): string[] =>
  checks
    .filter(({ status }) => status === 'failed' || status === 'unplayed')
    .flatMap(({ name, runs: played }) =>
      played.flatMap(({ timeline, screen }) => [
        ...timeline.map(({ atMs, who, what }) => `${name} ${String(atMs)} ms ${who} ${what}`),
        screen,
      ]),
    );
/** What became of each check in the first line, all of it below: a summary shows one line. */
export const describeReport = (report: ProgramReport): string =>
  [
    report.checks.map(({ name, status }) => `${name} ${status}`).join(', '),
    [...found(report, 'failed'), ...namesOf(report, 'unplayed')].join(', '),
    formatReport(report),
    ...storiesOf(report),
  ].join('\n');
export const failures = (report: ProgramReport): string[] => found(report, 'failed');
export const namesOf = ({ checks }: ProgramReport, ...statuses: readonly string[]): string[] =>
  checks.filter(({ status }) => statuses.includes(status)).map(({ name }) => name);

/** Processes that know a place: by their words, their environment, or where they work. */
export function processesOf(where: string): string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return [];
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const known = [words, readFileSync(`/proc/${pid}/environ`, 'latin1'), readlinkSync(`/proc/${pid}/cwd`)];
      return known.some((text) => text.includes(where)) ? [`${pid} ${words}`] : [];
    } catch {
      return []; // gone, or somebody else's
    }
  });
}

/** Puts the temporary files of all programs of a file of tests into one folder, and sees at the end that nothing has been left there. */
export function ownPlace(): { readonly folder: string } {
  const place = { folder: '' };
  const before = process.env['TMPDIR'];
  beforeAll(() => {
    place.folder = mkdtempSync(join(tmpdir(), 'check-place-'));
    process.env['TMPDIR'] = place.folder;
  });
  afterAll(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    const left = [...readdirSync(place.folder), ...processesOf(place.folder)];
    rmSync(place.folder, { recursive: true, force: true });
    expect(left, 'files and processes that the checks have left behind').toEqual([]);
  });
  return place;
}
