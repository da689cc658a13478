/** The pages that name a door for each framework say what the page of agents says, which the real packages have made. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

import { placeBetween } from '../../scripts/agents-table.ts';
import { doorPages, whichDoor } from '../../scripts/which-door.ts';

const agents = readFileSync('docs/agents.md', 'utf8');

it.each(doorPages(agents))('%s shows of the doors what the page of agents shows', (path, table) => {
  const page = readFileSync(path, 'utf8');
  expect(page).toBe(placeBetween(page, 'doors', table));
});

it('a framework without a door is refused', () => {
  expect(() => whichDoor(agents.replaceAll('@mastra/core', 'genkit'))).toThrow('has no door for genkit');
});

it('a scenario that is no longer played is refused', () => {
  expect(() => whichDoor(agents.replaceAll('| S15', '| S99'))).toThrow('has no S15');
});

it('a mark that changes changes the table', () => {
  const changed = agents.replace(/^(\| S01 [^|]*\| ✓ \|) ✓/m, '$1 ✗');
  expect(whichDoor(changed)).not.toBe(whichDoor(agents));
});
