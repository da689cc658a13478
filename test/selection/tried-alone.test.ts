/** A red test of whole programs is played again without neighbours; what is red for another reason is not. */
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { tellRed, tryAlone, type Report } from '../../scripts/gates/alone.ts';
import { root } from '../../scripts/gates/run.ts';

const red = (file: string, ...failureMessages: string[]): Report['testResults'][number] => ({
  name: join(root, file),
  status: 'failed',
  assertionResults: [
    { fullName: 'it holds', status: 'passed' },
    { fullName: 'it stops', status: 'failed', failureMessages },
  ],
});
const postgres = red('test/integration/postgres.test.ts', 'AssertionError: expected 1 to be 2\n    at somewhere');

/** What was played, and what came of it, with a file that is green as often as that. */
async function tried(
  testResults: Report['testResults'],
  { output = '', greens = Infinity }: { readonly output?: string; readonly greens?: number } = {},
): Promise<{ readonly played: readonly string[]; readonly unsteady: readonly string[] }> {
  const played: string[] = [];
  const play = (file: string): Promise<boolean> => Promise.resolve(played.push(file) <= greens);
  return { unsteady: await tryAlone({ testResults }, output, play), played };
}

describe('what was red beside others', () => {
  it('a red test of an engine is named with what it said, if its file is green three times alone', async () => {
    const { played, unsteady } = await tried([{ ...postgres, status: 'passed', assertionResults: [] }, postgres]);
    expect(played).toEqual(Array.from({ length: 3 }, () => 'test/integration/postgres.test.ts'));
    expect(unsteady).toEqual(['test/integration/postgres.test.ts > it stops: AssertionError: expected 1 to be 2']);
  });

  it('a red test stays red if its file is red once of three times', async () => {
    expect(await tried([postgres], { greens: 2 })).toMatchObject({ unsteady: [], played: { length: 3 } });
  });

  it('a red test stays red where nothing waits for a process: a neighbour cannot be blamed', async () => {
    for (const file of [
      'test/core/token/source.test.ts',
      'test/properties/races.test.ts',
      'test/docs/guides.test.ts',
    ]) {
      expect(await tried([postgres, red(file)])).toEqual({ unsteady: [], played: [] });
    }
  });

  it('a red test stays red if its file did not load, or too many are red', async () => {
    expect(await tried([{ ...postgres, assertionResults: [] }])).toEqual({ unsteady: [], played: [] });
    const many = [1, 2, 3, 4].map((n) => red(`test/interop/door-${String(n)}.test.ts`));
    expect(await tried(many)).toEqual({ unsteady: [], played: [] });
  });

  it('a red test stays red beside an error that comes from no file', async () => {
    expect(await tried([postgres], { output: '     Errors  1 error\n' })).toEqual({ unsteady: [], played: [] });
  });

  it('a red test stays red if files have been tried before, and no more may be', async () => {
    const played: string[] = [];
    const play = (file: string): Promise<boolean> => Promise.resolve(played.push(file) > 0);
    expect([await tryAlone({ testResults: [postgres] }, '', play, 0), played]).toEqual([[], []]);
  });

  it('errors outside of tests are tried by the files that they came from', async () => {
    const from = (file: string): string => `This error originated in "${file}" test file.`;
    const { played, unsteady } = await tried([], { output: from('test/interop/mcp.test.ts') });
    expect([new Set(played), unsteady]).toEqual([
      new Set(['test/interop/mcp.test.ts']),
      ['test/interop/mcp.test.ts: an error outside of its tests'],
    ]);
    expect(await tried([postgres], { output: from('test/core/token/source.test.ts') })).toEqual({
      unsteady: [],
      played: [],
    });
  });
});

describe('what is told of a red run', () => {
  const green = { fullName: 'it holds', status: 'passed' };
  const file = (message: string, status = 'failed'): Report['testResults'][number] => ({
    name: join(root, 'test/interop/door-facts.test.ts'),
    status,
    message,
    assertionResults: [green],
  });

  it('a file that leaves something behind is told as red, though all its tests are green', () => {
    const left = file('left behind by this file: expected [ Array(1) ] to deeply equal []\n\n- []');
    expect(tellRed({ testResults: [left, file('', 'passed')] })).toEqual([
      'test/interop/door-facts.test.ts: left behind by this file: expected [ Array(1) ] to deeply equal []',
    ]);
    expect(tellRed({ testResults: [file('')] })).toEqual([
      'test/interop/door-facts.test.ts: something around its tests',
    ]);
  });

  it('a file that leaves something behind is told beside its red test', () => {
    expect(tellRed({ testResults: [{ ...postgres, message: 'left behind by this file' }] })).toEqual([
      'test/integration/postgres.test.ts > it stops: AssertionError: expected 1 to be 2',
      'test/integration/postgres.test.ts: left behind by this file',
    ]);
  });
});
