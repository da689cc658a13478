/** What `changes` and the checkers can name, the guide explains. */
import { globSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = new URL('../../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');

/** The second argument of whatever notes, and what is noted without a check. */
const noted = /[nN]ote\(\s*[^'"`]*'([a-z]+(?:-[a-z]+)+)'/g;
const written = /rule: '([a-z]+(?:-[a-z]+)+)'/g;

it('every rule has its place in the guide', () => {
  const sources = globSync('src/transcript/**/*.ts', { cwd: root }).map(textOf);
  const rules = new Set(
    sources.flatMap((source) => [noted, written].flatMap((form) => [...source.matchAll(form)].map(([, rule]) => rule))),
  );
  expect(rules.size).toBeGreaterThan(40);
  const guide = textOf('docs/guides/transcript/repair.md');
  expect([...rules].filter((rule) => !guide.includes(`\`${String(rule)}\``))).toEqual([]);
});
