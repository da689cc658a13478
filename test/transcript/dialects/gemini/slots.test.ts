import { expect, it } from 'vitest';

import { readSlots } from '../../../../src/transcript/dialects/gemini/slots.ts';

const entry = (at: number, role: string, ...parts: object[]) => ({
  message: { role, parts },
  at,
  added: undefined,
  cutBy: undefined,
});
const call = (name: string, id?: string) => ({ functionCall: { name, ...(id === undefined ? {} : { id }) } });
const answer = (name: string, id?: string) => ({
  functionResponse: { name, response: {}, ...(id === undefined ? {} : { id }) },
});

it('links by id first, then by name, in the order of the calls', () => {
  const { sites } = readSlots(
    [
      entry(0, 'model', call('a', '1'), call('a', '2'), call('b')),
      entry(1, 'user', answer('a', '2'), answer('b'), answer('a', '1'), answer('b')),
    ],
    () => undefined,
  );
  expect(sites.map(({ id, results }) => [id, results.map(({ order }) => order)])).toEqual([
    ['1', [2]],
    ['2', [0]],
    ['b', [1, 3]],
  ]);
});

it('links to the latest turn that made such a call', () => {
  const { sites } = readSlots(
    [
      entry(0, 'model', call('a')),
      entry(1, 'user', { text: 'x' }),
      entry(2, 'model', call('a')),
      entry(3, 'user', answer('a')),
    ],
    () => undefined,
  );
  expect(sites.map(({ results }) => results.length)).toEqual([0, 1]);
});

it('takes turns of the model that follow each other for one', () => {
  const { sites } = readSlots(
    [entry(0, 'model', call('a')), entry(1, 'model', call('a')), entry(2, 'user', answer('a'), answer('a'))],
    () => undefined,
  );
  expect(sites.map(({ results }) => results.length)).toEqual([1, 1]);
});

it('takes out what no turn may hold', () => {
  const rules: string[] = [];
  const { slots } = readSlots(
    [entry(0, 'user', call('a'), answer('z'), { text: '' }, { text: 'x' }), entry(1, 'model', { functionCall: {} })],
    (at, rule) => rules.push(`${String(at)} ${rule}`),
  );
  expect(rules).toEqual(['0 call-by-model', '0 result-has-call', '0 part-not-empty', '1 call-name']);
  expect(slots.map(({ parts }) => parts.length)).toEqual([1, 0]);
});
