/** Random loops of a framework under a turn of a conversation, judged after every event. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { turnModel } from '../../../src/adapters/langchain/index.ts';
import { InterruptController } from '../../../src/index.ts';
import { langchain } from '../../../src/transcript/dialects/langchain/index.ts';
import { Conversation } from '../../../src/transcript/index.ts';

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: object;
}

interface Message {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly Call[];
  readonly tool_call_id?: string;
}

type Ids = 'own' | 'shared' | 'empty';

interface Round {
  readonly says: boolean;
  readonly calls: readonly string[];
  readonly ids: Ids;
  readonly trims: boolean;
}

interface Loop {
  readonly rounds: readonly Round[];
  readonly happenings: readonly { readonly at: number; readonly what: string }[];
}

const loops: fc.Arbitrary<Loop> = fc.record({
  rounds: fc.array(
    fc.record({
      says: fc.boolean(),
      calls: fc.array(fc.constantFrom('answers', 'fails', 'obeys'), { maxLength: 3 }),
      ids: fc.constantFrom<Ids[]>('own', 'shared', 'empty'),
      trims: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  happenings: fc.array(
    fc.record({ at: fc.nat({ max: 20 }), what: fc.constantFrom('cancel', 'now', 'next-model-call') }),
    { maxLength: 2 },
  ),
});

type Spoil = (messages: Message[]) => Message[];

/** Plays a loop as a graph does: it keeps messages of its own, and shows its model all of them or the last. */
async function play({ rounds, happenings }: Loop, spoil: Spoil) {
  const agent = new InterruptController({ name: 'main', graceMs: 0 });
  const chat = new Conversation<Message>(langchain);
  const faults: string[] = [];
  /** What has to stand there once. */
  const marks: string[] = ['«prompt»'];
  let [serial, events] = [0, 0];
  const mark = (what: string): string => `«${what} ${String((serial += 1))}»`;
  const judge = (): void => {
    for (const { rule } of langchain.check(spoil([...chat.messages]))) faults.push(`refused: ${rule}`);
  };
  const happen = (): void => {
    judge();
    const at = (events += 1);
    for (const { what } of happenings.filter((one) => one.at === at)) {
      if (what === 'cancel') agent.cancel('user');
      else {
        const said = mark('news');
        void agent.interject(said, { delivery: what as 'now' }).settled.then((end) => {
          if (end === 'delivered') marks.push(said);
        });
      }
      judge();
    }
  };
  const report = await chat.runTurn(agent, '«prompt»', async (turn) => {
    let [round, ids] = [0, 0];
    const model = turnModel(turn, {
      async invoke(_input: unknown, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Message> {
        const { says, calls, ids: kind } = rounds[round] as Round;
        await Promise.resolve();
        happen();
        signal?.throwIfAborted();
        const content = says ? mark('words') : '';
        const own: Readonly<Record<Ids, () => string>> = {
          own: () => `c${String((ids += 1))}`,
          shared: () => 'c0',
          empty: () => '',
        };
        const tool_calls = calls.map((name) => ({ id: own[kind](), name, args: {} }));
        return { role: 'assistant', content, tool_calls };
      },
    });
    const thread: Message[] = [{ role: 'user', content: '«prompt»' }];
    for (; round < rounds.length; round += 1) {
      const shown = rounds[round]?.trims === true ? thread.slice(-2) : thread;
      const answer = await model.invoke(shown);
      if (answer.content !== '') marks.push(answer.content);
      thread.push(answer);
      const results = (answer.tool_calls ?? []).map(async ({ id, name }): Promise<Message> => {
        const given = await turn.tool({ id, name }, async (_call, { token }) => {
          await Promise.resolve();
          happen();
          if (name === 'fails') throw new Error(mark('failure'));
          if (name === 'obeys') token.throwIfCancelled();
          const value = mark('paid');
          marks.push(value);
          return value;
        });
        const content = given.status === 'completed' ? given.value : `it ${given.status}`;
        return { role: 'tool', tool_call_id: id, content };
      });
      thread.push(...(await Promise.all(results)));
      turn.checkpoint();
    }
  });
  judge();
  const text = JSON.stringify(spoil([...chat.messages]));
  for (const one of marks) {
    const count = text.split(one).length - 1;
    if (count !== 1) faults.push(`${String(count)} times: ${one}`);
  }
  const ids = spoil([...chat.messages]).flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id));
  if (new Set(ids).size < ids.length) faults.push('two calls share an id');
  if (report.status === 'failed') faults.push(String(report.error));
  return faults;
}

const asItIs: Spoil = (messages) => messages;

it('S45 whatever happens at any event of a loop, each word, call, result and message stands there once', async () => {
  await fc.assert(
    fc.asyncProperty(loops, async (loop) => {
      expect(await play(loop, asItIs)).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

const faults: Readonly<Record<string, Spoil>> = {
  'a lost result': (messages) => messages.filter(({ role }, at) => role !== 'tool' || at < 3),
  'a reply that comes twice': (messages) => [...messages, ...messages.filter(({ role }) => role === 'assistant')],
  'a message before the result that it followed': (messages) =>
    messages.toSorted((one, other) => Number(other.role === 'user') - Number(one.role === 'user')).toReversed(),
};

it.each(Object.entries(faults))('S45 the judge finds %s', async (_title, spoil) => {
  const found = await fc.check(
    fc.asyncProperty(loops, async (loop) => (await play(loop, spoil)).length === 0),
    { numRuns: 500 },
  );
  expect(found.failed).toBe(true);
});
