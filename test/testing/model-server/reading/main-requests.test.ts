import { expect, it } from 'vitest';

import { hasToolsOf, mainRequests, toolNamesOf } from '../../../../src/testing/model-server/reading/main-requests.ts';

const requestWith = (names: readonly string[], n = 1) => ({ n, body: { tools: names.map((name) => ({ name })) } });

it('main requests are those with most of the tools of the one that declares most', () => {
  const requests = [[], ['a', 'b', 'c'], ['c'], ['a', 'b'], ['x', 'y'], ['a', 'b', 'c']];
  const numbered = requests.map(requestWith);
  expect(mainRequests(numbered).map(({ n }) => n)).toEqual([1, 3, 5]);
  expect(mainRequests([])).toEqual([]);
  expect(mainRequests([{ body: {} }])).toHaveLength(1);
});

it('a request that declares one tool more, or one less, has the tools of its conversation; a few of them are not those', () => {
  const tools = toolNamesOf(requestWith(['bash', 'read', 'write', 'search']));
  expect(tools).toEqual(['bash', 'read', 'write', 'search']);
  expect(hasToolsOf(requestWith(['bash', 'read', 'write']), tools)).toBe(true);
  expect(hasToolsOf(requestWith(['welcome', ...tools]), tools)).toBe(true);
  expect(hasToolsOf(requestWith(['search']), tools)).toBe(false);
  expect(hasToolsOf(requestWith(['set_title', 'b', 'c', 'd']), tools)).toBe(false);
  expect(hasToolsOf(requestWith([]), [])).toBe(true);
});
