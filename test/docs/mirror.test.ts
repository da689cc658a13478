import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, it } from 'vitest';

import { readDoors } from '../../scripts/doors.ts';
import { root } from '../package/consumer.ts';
import { mirrorFaults } from './mirror.ts';

const readme = readFileSync(join(root, 'README.md'), 'utf8');
const chinese = readFileSync(join(root, 'README_zh.md'), 'utf8');

/** Doors with what their row calls them. */
function stability(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/^\| \[`([^`]+)`\].*\|\s*(\S+)\s*\|$/gm)].map(([, door = '', mark = '']) => [door, mark]),
  );
}

describe('the README in Chinese', () => {
  it('the README in Chinese has the headings, the code, the links and the rows of the English one', () => {
    expect(mirrorFaults(readme, chinese)).toEqual([]);
  });

  it.each([
    ['headings', (text: string) => text.replace('\n## ', '\n### ')],
    ['fences', (text: string) => text.replace('agent.cancel()', 'agent.kill()')],
    ['links', (text: string) => text.replace('docs/design/glossary.md', 'docs/design/words.md')],
    ['rows', (text: string) => text.replace(/^\| .*guides\/llm\.md.*\n/m, '')],
  ])('a translation that differs in %s is found', (part, change) => {
    expect(mirrorFaults(readme, change(chinese))).toContain(`${part} differ`);
  });
});

describe('the stability of a door', () => {
  it('every door is called stable or experimental', () => {
    const marks = stability(readFileSync(join(root, 'docs/doors.md'), 'utf8'));
    const doors = new Set(readDoors(root).map(({ specifier }) => specifier.split('/').slice(0, 2).join('/')));
    expect([...doors].filter((door) => !['stable', 'experimental'].includes(marks.get(door) ?? ''))).toEqual([]);
  });
});
