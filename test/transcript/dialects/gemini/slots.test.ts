import { expect, it } from 'vitest';

import { readSlots } from '../../../../src/transcript/dialects/gemini/slots.ts';

const entry = (role: string, ...parts: object[]) => ({ message: { role, parts }, cut: undefined });
const sitesOf = (slots: ReturnType<typeof readSlots>) =>
  slots.flatMap(({ parts }) => parts.flatMap(({ site }) => site ?? []));
const call = (name: string, id?: string) => ({ functionCall: { name, ...(id === undefined ? {} : { id }) } });
const answer = (name: string, id?: string) => ({
  functionResponse: { name, response: {}, ...(id === undefined ? {} : { id }) },
});

it('links by id first, then by name, in the order of the calls', () => {
  const sites = sitesOf(
    readSlots([
      entry('model', call('a', '1'), call('a', '2'), call('b')),
      entry('user', answer('a', '2'), answer('b'), answer('a', '1'), answer('b')),
    ]),
  );
  expect(sites.map(({ id, results }) => [id, results.map(({ order }) => order)])).toEqual([
    ['1', [2]],
    ['2', [0]],
    ['b', [1, 3]],
  ]);
});

it('links to the latest turn that made such a call', () => {
  const sites = sitesOf(
    readSlots([
      entry('model', call('a')),
      entry('user', { text: 'x' }),
      entry('model', call('a')),
      entry('user', answer('a')),
    ]),
  );
  expect(sites.map(({ results }) => results.length)).toEqual([0, 1]);
});

it('takes turns of the model that follow each other for one', () => {
  const sites = sitesOf(
    readSlots([entry('model', call('a')), entry('model', call('a')), entry('user', answer('a'), answer('a'))]),
  );
  expect(sites.map(({ results }) => results.length)).toEqual([1, 1]);
});

it('takes out what no turn may hold', () => {
  const slots = readSlots([
    entry('user', call('a'), answer('z'), { text: '' }, { text: 'x' }),
    entry('model', { functionCall: {} }),
  ]);
  expect(slots.map(({ parts }) => parts.length)).toEqual([1, 0]);
});
