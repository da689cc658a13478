import { expect, it } from 'vitest';
import { ToldMessages } from '../../../../src/adapters/internal/framework/told-messages.ts';

it('puts what is told at the end, and later in the same place', () => {
  const told = new ToldMessages<string>();
  expect(told.with(['go'], [])).toEqual(['go']);
  expect(told.with(['go', 'call', 'result'], ['news'])).toEqual(['go', 'call', 'result', 'news']);
  const longer = ['go', 'call', 'result', 'answer', 'result 2'];
  expect(told.with(longer, ['more', 'and more'])).toEqual([
    ...['go', 'call', 'result', 'news', 'answer', 'result 2'],
    ...['more', 'and more'],
  ]);
  expect(told.with([...longer, 'end'], [])).toEqual([
    ...['go', 'call', 'result', 'news', 'answer', 'result 2', 'more', 'and more', 'end'],
  ]);
});

it('tells a cut answer once, before its news: the framework has it from then on', () => {
  const told = new ToldMessages<string>();
  expect(told.with(['go'], ['news'], ['half an ans'])).toEqual(['go', 'half an ans', 'news']);
  expect(told.with(['go', 'half an answer'], [])).toEqual(['go', 'news', 'half an answer']);
});

it('forgets when another conversation begins', () => {
  const told = new ToldMessages<string>();
  told.with(['go', 'call', 'result'], ['news']);
  expect(told.with(['hello'], [])).toEqual(['hello']);
  expect(told.with(['hello', 'call', 'result', 'x'], [])).toEqual(['hello', 'call', 'result', 'x']);
});

it('changes nothing it is given', () => {
  const given = Object.freeze(['go']);
  new ToldMessages<string>().with(given, ['news']);
  expect(given).toEqual(['go']);
});
