import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { agentScenarios } from '../../../../src/testing/agent-suite/scenarios/index.ts';

const page = readFileSync('docs/design/scenarios.md', 'utf8');

it('each scenario of an agent has a number of the list, a sentence, and parts that say what has to be so', () => {
  for (const [number, { title, parts }] of Object.entries(agentScenarios)) {
    expect(page).toContain(`- **${number}** `);
    expect(title).toMatch(/^[A-Z].* .*[^.]$/);
    const laws = Object.keys(parts);
    expect(laws.length).toBeGreaterThan(0);
    for (const law of laws) expect(law).toMatch(/^[a-z].* .*[^.]$/);
  }
});

it('the scenarios of an agent are S01 to S23 and S37 to S51 without S49, in order', () => {
  const numbers = [...page.matchAll(/^- \*\*(S\d\d)\*\*/gm)].map(([, number]) => number ?? '');
  const wanted = numbers.filter(
    (number) => number <= 'S23' || (number >= 'S37' && number <= 'S51' && number !== 'S49'),
  );
  expect(Object.keys(agentScenarios)).toEqual(wanted);
});
