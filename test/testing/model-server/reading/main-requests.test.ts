import { expect, it } from 'vitest';

import { mainRequests } from '../../../../src/testing/model-server/reading/main-requests.ts';

it('main requests are those that declare the most tools', () => {
  const requests = [[], ['a', 'b'], ['a'], ['a', 'b']].map((names, n) => ({
    n,
    body: { tools: names.map((name) => ({ name })) },
  }));
  expect(mainRequests(requests).map(({ n }) => n)).toEqual([1, 3]);
  expect(mainRequests([])).toEqual([]);
  expect(mainRequests([{ body: {} }])).toHaveLength(1);
});
