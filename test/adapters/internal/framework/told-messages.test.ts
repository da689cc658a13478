import { expect, it } from 'vitest';
import fc from 'fast-check';

import { ToldMessages } from '../../../../src/adapters/internal/framework/told-messages.ts';

interface Message {
  readonly role: string;
  readonly content?: string;
  readonly tool_calls?: readonly { readonly id: string }[];
  readonly tool_call_id?: string;
}

const user = (content: string): Message => ({ role: 'user', content });
const call = (...ids: string[]): Message => ({ role: 'assistant', tool_calls: ids.map((id) => ({ id })) });
const result = (id: string): Message => ({ role: 'tool', tool_call_id: id });
const news = user('news');
const more = user('more');

it('puts what is told at the end, and later in the same place', () => {
  const told = new ToldMessages<Message>();
  const given = [user('go'), call('a'), result('a')];
  expect(told.with(given.slice(0, 1), [])).toEqual(given.slice(0, 1));
  expect(told.with(given, [news])).toEqual([...given, news]);
  const longer = [...given, call('b'), result('b')];
  expect(told.with(longer, [more])).toEqual([...given, news, call('b'), result('b'), more]);
  const end = { role: 'assistant', content: 'end' };
  expect(told.with([...longer, end], [])).toEqual([...given, news, call('b'), result('b'), more, end]);
});

it('tells a cut answer before its news, until the framework has it among its own', () => {
  const told = new ToldMessages<string>();
  expect(told.with(['go'], ['news'], ['half an ans'])).toEqual(['go', 'half an ans', 'news']);
  expect(told.with(['go', 'half an answer'], [])).toEqual(['go', 'news', 'half an answer']);
  expect(told.with(['go', 'another'], [])).toEqual(['go', 'half an ans', 'news', 'another']);
  // The items of a response are sent in the place of what stands beside them.
  const output = [{ content: [{ type: 'output_text', text: 'another' }] }];
  const own = { role: 'user', content: 'half an answer', response_metadata: { output } };
  const items = new ToldMessages<unknown>();
  items.with(['go'], ['news'], ['half an ans']);
  expect(items.with(['go', own], [])).toEqual(['go', 'half an ans', 'news', own]);
});

it('tells all that messages cut of one call, also where the framework goes on from its end', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(fc.constant('part'), { maxLength: 2 }), { maxLength: 200 }),
      fc.boolean(),
      fc.boolean(),
      (cuts, isOnlyNew, isJoined) => {
        const told = new ToldMessages<Message>(isJoined);
        const given = [user('go')];
        told.with(given, [], [], isOnlyNew);
        const all = cuts.flatMap((cut, at) => [
          ...cut.map((one) => ({ role: 'assistant', content: `${one} ${String(at)}` })),
          user(`news ${String(at)}`),
        ]);
        let until = 0;
        cuts.forEach((cut, at) => {
          const from = until;
          until += cut.length + 1;
          const sent = told.with(given, [all[until - 1] as Message], all.slice(from, until - 1), isOnlyNew);
          expect(sent, `round ${String(at)}`).toEqual([...given, ...all.slice(0, until)]);
        });
        expect(told.with(given, [], [{ role: 'assistant', content: 'no news' }], isOnlyNew)).toEqual([
          ...given,
          ...all,
        ]);
        const longer = [...given, call('a'), result('a')];
        const spoken = all.filter(({ role }) => !isJoined || role === 'user');
        expect(told.with(longer, [], [])).toEqual([...given, ...spoken, ...longer.slice(1)]);
      },
    ),
    { numRuns: 50 },
  );
});

it('forgets when another conversation begins, and when the provider holds what was said', () => {
  const told = new ToldMessages<Message>();
  told.with([user('go'), call('a'), result('a')], [news]);
  expect(told.with([user('hello')], [])).toEqual([user('hello')]);
  expect(told.with([user('hello'), call('x'), result('x'), call('y')], [])).toHaveLength(4);
  const held = new ToldMessages<Message>();
  held.with([result('a')], [news]);
  expect(held.with([result('b')], [], [], true)).toEqual([result('b')]);
});

it('S39 stands before the first reply that came later where a step sends the end of the list alone', () => {
  const told = new ToldMessages<Message>();
  const given = [user('go'), call('a'), result('a')];
  told.with(given, [news]);
  const later = [...given, call('b'), result('b'), call('c'), result('c')];
  expect(told.with(later.slice(-4), [])).toEqual([news, call('b'), result('b'), call('c'), result('c')]);
  expect(told.with(later.slice(1), [])).toEqual([call('a'), result('a'), news, ...later.slice(3)]);
  expect(told.with([given[0] as Message, ...later.slice(-2)], [])).toEqual([user('go'), news, ...later.slice(-2)]);
  // A window that holds nothing of before, and is grown again.
  expect(told.with(later.slice(-2), [])).toEqual([news, ...later.slice(-2)]);
  expect(told.with(later, [])).toEqual([...given, news, ...later.slice(3)]);
});

it('S39 stands before what a reply thought and said, not before its call', () => {
  const told = new ToldMessages<object>();
  const item = (type: string, callId?: string): object => ({ type, ...(callId === undefined ? {} : { callId }) });
  told.with([user('go'), item('function_call', 'a'), item('function_call_result', 'a')], [news]);
  const later = [item('reasoning'), item('function_call', 'b'), item('function_call_result', 'b')];
  expect(told.with(later, [])).toEqual([news, ...later]);
});

it('S39 never stands between a call and its result, whichever part of the list a step sends', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 5 }),
      fc.array(fc.record({ said: fc.boolean(), keep: fc.nat({ max: 6 }), first: fc.boolean(), same: fc.boolean() })),
      (parallel, rounds) => {
        const told = new ToldMessages<Message>();
        const list: Message[] = [user('go')];
        rounds.forEach(({ said, keep, first, same }, round) => {
          const groups = list.slice(1);
          const size = parallel + 1;
          const rest = groups.slice(Math.max(0, groups.length - (keep + 1) * size));
          const sent = first || rest.length === 0 ? [list[0] as Message, ...rest] : rest;
          const all = told.with(sent, said ? [user(`news ${String(round)}`)] : []);
          all.forEach((message, at) => {
            if (message.role !== 'tool') return;
            expect(['tool', 'assistant']).toContain(all[at - 1]?.role);
          });
          expect(all.filter((message) => sent.includes(message))).toEqual(sent);
          const ids = Array.from({ length: parallel }, (_, at) =>
            same ? `c${String(at)}` : `${String(round)}-${String(at)}`,
          );
          list.push(call(...ids), ...ids.map(result));
        });
      },
    ),
    { numRuns: 300 },
  );
});

it('changes nothing it is given', () => {
  const given = Object.freeze(['go']);
  new ToldMessages<string>().with(given, ['news']);
  expect(given).toEqual(['go']);
});
