import { expect, it } from 'vitest';
import { settleSession } from '../../../src/adapters/openai-agents/index.ts';
import type { AgentsSession } from '../../../src/adapters/openai-agents/settle-session.ts';
import { deferred } from '../../../src/testing/fakes.ts';

const prompt = (content: string) => ({ type: 'message', role: 'user', content });
const said = (text: string) => ({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
const call = (callId: string) => ({ type: 'function_call', callId, name: callId, arguments: '{}' });
const result = (callId: string, text: string) => ({
  type: 'function_call_result',
  callId,
  name: callId,
  output: { type: 'text', text },
});

/** A store that writes down what was asked of it, and fails when it is told to. */
function sessionOf(...items: object[]) {
  const asked: string[] = [];
  const failures: Partial<Record<string, unknown>> = {};
  const ask = (what: string): void => {
    asked.push(what);
    const error = failures[what];
    failures[what] = undefined;
    if (error !== undefined) throw error;
  };
  return {
    items,
    asked,
    failures,
    getItems: () => Promise.resolve([...items]),
    addItems: async (added: object[]) => {
      await Promise.resolve();
      ask('add');
      items.push(...added);
    },
    popItem: async () => {
      await Promise.resolve();
      ask('pop');
      return items.pop();
    },
  };
}

const stopped = [
  prompt('go'),
  call('pay'),
  result('pay', 'paid'),
  call('deploy'),
  result('deploy', 'It may still run.'),
];
const aborted = [...stopped.slice(0, 4), result('deploy', 'aborted')];

it('a session that has the prompt alone is given what came since, once', async () => {
  const session = sessionOf(prompt('old'), prompt('go'));
  const wanted = [prompt('old'), ...stopped];
  await settleSession(session, wanted);
  await settleSession(session, wanted);
  expect([session.items, session.asked]).toEqual([wanted, ['add']]);
});

it('what the run wrote of a call that was stopped is replaced, and the rest stays as it is', async () => {
  const session = sessionOf(...aborted);
  const [, first] = session.items;
  await settleSession(session, stopped);
  expect([session.items, session.asked]).toEqual([stopped, ['pop', 'add']]);
  expect(session.items[1]).toBe(first);
});

it('a session is given calls without the id that they had in one response', async () => {
  const session = sessionOf(prompt('go'));
  const given = { ...call('pay'), id: 'fc_1', providerData: { id: 'fc_1', type: 'function_call' } };
  const items: object[] = [prompt('go'), given, { ...result('pay', 'paid'), id: 'fr_1' }];
  await settleSession(session, items);
  const kept = { ...call('pay'), providerData: { type: 'function_call' } };
  expect(session.items).toEqual([prompt('go'), kept, result('pay', 'paid')]);
  await settleSession(session, items);
  expect(session.asked).toEqual(['add']);
});

it('items are the same in another order of their fields, and with what a store adds to them', async () => {
  const session = sessionOf({ content: 'go', role: 'user', id: 'msg_1', status: 'completed' });
  await settleSession<object>(session, [{ role: 'user', content: 'go' }]);
  expect(session.asked).toEqual([]);
});

it('items are compared as the session says', async () => {
  const session = sessionOf({ stored: prompt('go') });
  const prepared = {
    ...session,
    prepareHistoryItemsForPersistenceComparison: (items: object[]) =>
      items.map((item) => ('stored' in item ? item.stored : item)),
  };
  await settleSession<object>(prepared, [prompt('go')]);
  expect(session.asked).toEqual([]);
});

it('what was written twice by a call that came late stands once after the next', async () => {
  const session = sessionOf(...stopped, ...stopped.slice(1));
  await settleSession(session, stopped);
  expect(session.items).toEqual(stopped);
});

it.each([
  ['a prompt', prompt('of Monday'), '"of Monday"'],
  ['a call', call('refund'), '"refund"'],
  ['an answer', said('Hello.'), 'an array of 1'],
])('a session that holds %s that the conversation has not is left as it is', async (_title, item, shown) => {
  const session = sessionOf(item, prompt('go'));
  await expect(settleSession(session, stopped)).rejects.toThrow(
    `the session holds what the conversation does not, ${shown}: begin it with session.getItems()`,
  );
  expect(session.asked).toEqual([]);
});

it.each([said(''), { ...said(''), content: [] }, { ...said(''), content: '' }])(
  'an answer that says nothing is not kept, as in the conversation',
  async (empty) => {
    const session = sessionOf(prompt('go'), empty, prompt('next'));
    await settleSession(session, [prompt('go'), prompt('next')]);
    expect(session.items).toEqual([prompt('go'), prompt('next')]);
  },
);

it.each(['add', 'pop'])('a store whose %s fails holds what it held, and the next call completes it', async (what) => {
  const session = sessionOf(...aborted);
  session.failures[what] = new Error('The database is gone');
  await expect(settleSession(session, stopped)).rejects.toThrow('The database is gone');
  expect(session.items).toEqual(aborted);
  await settleSession(session, stopped);
  expect(session.items).toEqual(stopped);
});

it('a store that fails for good says why, and the next call completes it', async () => {
  const session = sessionOf(...aborted);
  const broken = { ...session, addItems: () => Promise.reject(new Error('The database is gone')) };
  await expect(settleSession<object>(broken, stopped)).rejects.toThrow('The database is gone');
  await settleSession(session, stopped);
  expect(session.items).toEqual(stopped);
});

it('a store that took half of it and failed has nothing twice after the next call', async () => {
  const session = sessionOf(...aborted);
  const half = {
    ...session,
    addItems: (added: object[]) => {
      session.items.push(...added.slice(0, 1));
      return Promise.reject(new Error('Too large'));
    },
  };
  await expect(settleSession<object>(half, [...stopped, said('Stopped.')])).rejects.toThrow('Too large');
  await settleSession<object>(session, [...stopped, said('Stopped.')]);
  expect(session.items).toEqual([...stopped, said('Stopped.')]);
});

it('a store that hangs loses nothing: another call completes it, also if the first one ends after all', async () => {
  const session = sessionOf(prompt('go'));
  const gate = deferred();
  const hanging = { ...session, addItems: (added: object[]) => gate.promise.then(() => session.addItems(added)) };
  const first = settleSession<object>(hanging, stopped);
  await settleSession(session, stopped);
  expect(session.items).toEqual(stopped);
  gate.resolve();
  await first;
  await settleSession(session, stopped);
  expect(session.items).toEqual(stopped);
});

it.each([
  ['nothing', null, [], 'session must be a session of OpenAI Agents, got null'],
  [
    'a store without popItem',
    { ...sessionOf(), popItem: undefined },
    [],
    'session must be a session of OpenAI Agents, got an instance of Object',
  ],
  ['a text for items', sessionOf(), 'go', 'items must be the messages of a conversation, got "go"'],
])('%s is refused', async (_title, session, items, message) => {
  await expect(settleSession(session as unknown as AgentsSession<object>, items as object[])).rejects.toThrow(
    new TypeError(message),
  );
});
