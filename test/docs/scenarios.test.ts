/**
 * The page of scenarios and the titles of tests name the same numbers.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { readSources, root } from '../architecture/source.ts';
import { scenarioFaults, untestedLine } from './scenarios.ts';

const path = join(root, 'docs/design/scenarios.md');
const block = /(<!-- untested -->\n\n)[\s\S]*?(\n\n<!-- \/untested -->)/;

/** Files of tests; those of this folder plant numbers that nobody defined. */
const tests = new Map([...readSources('test')].filter(([file]) => !file.startsWith('test/docs/')));

describe('the page of scenarios', () => {
  it('every scenario number in a test is defined, and none twice', () => {
    expect(scenarioFaults(readFileSync(path, 'utf8'), tests)).toEqual([]);
  });

  it('the page names exactly the scenarios that have no test', () => {
    const page = readFileSync(path, 'utf8');
    const line = untestedLine(page, tests);
    if (process.env['UPDATE_SCENARIOS'] === '1')
      writeFileSync(
        path,
        page.replace(block, (_all, open: string, close: string) => open + line + close),
      );
    const shown = block.exec(readFileSync(path, 'utf8'))?.[0].replaceAll(/\s+/g, ' ');
    expect(shown, 'write it again: UPDATE_SCENARIOS=1 npx vitest run --project docs').toBe(
      `<!-- untested --> ${line} <!-- /untested -->`,
    );
  });

  const page = '- **S01** One.\n- **S02** Two.\n';

  it('a number that nobody defined is found, in plain titles and in templates', () => {
    const planted = new Map([
      ['a.test.ts', "it('S01 a', f); it(`S03 ${name} b`, f); // S04"],
      ['b.test.ts', "it.each(['S05 x'])('%s', f)"],
    ]);
    expect(scenarioFaults(page, planted)).toEqual([
      'a.test.ts: S03 is not in docs/design/scenarios.md',
      'b.test.ts: S05 is not in docs/design/scenarios.md',
    ]);
  });

  it('a number that is defined twice is found', () => {
    expect(scenarioFaults(`${page}- **S01** Again.\n`, new Map())).toEqual(['S01 is defined twice']);
  });

  it('a scenario without a test is named', () => {
    const some = new Map([['a.test.ts', "it('S01 a', f)"]]);
    expect(untestedLine(page, some)).toBe('No test carries these numbers yet: S02.');
    expect(untestedLine('- **S01** One.', some)).toBe('Every scenario has a test.');
  });
});
