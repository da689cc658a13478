import { describe, expect, it } from 'vitest';
import fc from 'fast-check';

import { InterruptController } from '../../../src/index.ts';
import { Conversation, dialectNamed, mapDialect, repair } from '../../../src/transcript/index.ts';
import { anthropic, type AnthropicMessage } from '../../../src/transcript/dialects/anthropic/index.ts';
import { aiSDK } from '../../../src/transcript/dialects/ai-sdk/index.ts';
import { openaiChat, type OpenAIChatMessage } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { play } from './support/play.ts';
import { randomTurns } from './support/random-turns.ts';
import { wires, type Wire } from './support/wires.ts';

type ModelMessage = Parameters<typeof aiSDK.check>[0][number];

interface Mine {
  readonly shownAt: string;
  readonly wire: AnthropicMessage;
}

let made = 0;
const mine = mapDialect<Mine, AnthropicMessage>(anthropic, {
  toWire: ({ wire }) => wire,
  fromWire: (wire) => ({ shownAt: `made ${String(++made)}`, wire }),
});
const use = { type: 'tool_use', id: 'a', name: 'pay', input: {} };

describe('messages of a type of one’s own', () => {
  it('stay the same objects where nothing has to be changed', () => {
    const stored: Mine[] = [
      { shownAt: 'one', wire: { role: 'user', content: 'Go.' } },
      { shownAt: 'two', wire: { role: 'assistant', content: [use] } },
    ];
    const { messages } = repair(stored, { dialect: mine });
    expect([messages[0], messages[1]]).toEqual([stored[0], stored[1]]);
    expect([messages[0] === stored[0], messages[1] === stored[1], messages.length]).toEqual([true, true, 3]);
    expect(messages[2]?.wire.role).toBe('user');
    expect(mine.check(messages)).toEqual([]);
    expect(mine.check(stored).map(({ at }) => at)).toEqual([1]);
    expect(new Conversation(mine, { messages: stored }).messages[0]).toBe(stored[0]);
  });

  it('stay the same objects from one look to the next, results that nobody was told yet included', async () => {
    const chat = new Conversation(mine);
    const agent = new InterruptController();
    const stored: (readonly Mine[])[] = [];
    chat.onChange((messages) => stored.push(messages));
    await chat.runTurn(agent, 'Go.', async (turn) => {
      const reply = await turn.model(() => ({ role: 'assistant', content: [use] }));
      await turn.tools(reply.calls, () => {
        agent.cancel('user');
        turn.checkpoint();
      });
    });
    const seen = chat.messages;
    expect(seen).toHaveLength(3);
    for (const look of [chat.messages, stored.at(-1) ?? []])
      expect(look.map((message, at) => message === seen[at])).toEqual([true, true, true]);
  });

  it('stay where they were beside a message that had to be changed', () => {
    const dialect = mapDialect<{ wire?: OpenAIChatMessage }, OpenAIChatMessage>(openaiChat, {
      toWire: ({ wire }) => wire,
      fromWire: (wire) => ({ wire }),
    });
    const broken = { id: 'c', type: 'function', function: { name: 'pay', arguments: '{"to":' } };
    const stored = [
      { wire: { role: 'user', content: 'Go.' } },
      { wire: { role: 'assistant', content: null, tool_calls: [broken] } },
      {},
      { wire: { role: 'tool', tool_call_id: 'c', content: 'v' } },
    ] as unknown as { wire?: OpenAIChatMessage }[];
    const { messages, changes } = repair(stored, { dialect });
    expect(changes.length).toBeGreaterThan(0);
    expect(messages.map(({ wire }) => wire?.role)).toEqual(['user', 'assistant', undefined, 'tool']);
    expect(messages[2]).toBe(stored[2]);
  });

  it.each([
    ['nothing', () => undefined, 'got undefined'],
    ['a promise', async (wire: AnthropicMessage) => Promise.resolve({ wire }), 'got an instance of Promise'],
    ['a text', () => 'x', 'got "x"'],
  ])('are made by fromWire, which is refused at once where it returns %s', (_what, fromWire, got) => {
    expect(() =>
      mapDialect(anthropic, { toWire: (one: object) => one as AnthropicMessage, fromWire } as never),
    ).toThrow(new TypeError(`what map.fromWire returns must be a message, ${got}`));
  });

  it('leave no call open where one that never goes to the provider is stored behind it', () => {
    const call = { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: {} };
    const dialect = mapDialect<{ wire?: ModelMessage }, ModelMessage>(aiSDK, {
      toWire: ({ wire }) => wire,
      fromWire: (wire) => ({ wire }),
    });
    const asked = [{ wire: { role: 'user', content: 'Pay.' } }, { wire: { role: 'assistant', content: [call] } }, {}];
    const messages = asked as { wire?: ModelMessage }[];
    const roles = (chat: Conversation<{ wire?: ModelMessage }>) => chat.messages.map(({ wire }) => wire?.role);
    const dead = new Conversation(dialect, { messages });
    expect(dialect.check(dead.messages)).toEqual([]);
    expect(roles(dead)).toEqual(['user', 'assistant', undefined, 'tool']);
    expect(roles(new Conversation(dialect, { messages, waits: true }))).toEqual(['user', 'assistant', undefined]);
  });

  it('that never go to the provider do not keep a turn from being marked', async () => {
    const chat = new Conversation(mine);
    const agent = new InterruptController();
    await chat.runTurn(agent, 'Go.', () => {
      agent.cancel('user');
    });
    chat.push({ shownAt: 'a notice' } as unknown as Mine);
    chat.mark();
    expect(JSON.stringify(chat.messages.at(-1)?.wire)).toContain('This turn was interrupted');
    chat.mark();
    expect(chat.messages).toHaveLength(3);
  });

  it('are refused where they are none, by their place', () => {
    expect(() => repair([{ shownAt: 'x', wire: { role: 7 } } as never], { dialect: mine })).toThrow('messages[0].role');
    expect(() => mapDialect(anthropic, {} as never)).toThrow('map.toWire must be a function');
    const later = mapDialect(anthropic, {
      toWire: (one: object) => Promise.resolve(one),
      fromWire: (wire: object) => wire,
    } as never);
    expect(() => new Conversation(later, { messages: [{}] as never })).toThrow(
      'messages[0], by map.toWire, must be a message or undefined, got an instance of Promise',
    );
    expect(() => mapDialect('anthropic' as never, {} as never)).toThrow(TypeError);
  });

  it('that never go to the provider stay behind what they stood behind', () => {
    const notice = (shownAt: string) => ({ shownAt }) as unknown as Mine;
    const { messages, changes } = repair(
      [
        notice('first'),
        { shownAt: 'one', wire: { role: 'user', content: 'Go.' } },
        notice('second'),
        { shownAt: 'two', wire: { role: 'assistant', content: [use] } },
        notice('third'),
        notice('fourth'),
      ],
      { dialect: mine },
    );
    const seen = messages.map(({ shownAt, wire }) => ((wire as unknown) === undefined ? shownAt : wire.role));
    expect(seen).toEqual(['first', 'user', 'second', 'assistant', 'third', 'fourth', 'user']);
    expect(changes).toMatchObject([{ at: 3, rule: 'call-answered' }]);
    expect(repair(messages, { dialect: mine })).toEqual({ messages, changes: [] });
    expect(mine.check([notice('x')])).toEqual([]);
  });

  it('are marked as interrupted by the last word that goes to the provider', async () => {
    const chat = new Conversation(mine);
    const agent = new InterruptController();
    await chat.runTurn(agent, 'Go.', async (turn) => {
      await turn.model(() => ({ role: 'assistant', content: 'Gone.' }));
      agent.cancel('user');
      turn.checkpoint();
    });
    chat.push({ shownAt: 'a notice' } as unknown as Mine);
    const before = chat.messages.length;
    chat.mark();
    expect(chat.messages).toHaveLength(before);
  });

  type Union = { readonly kind: 'said'; readonly wire: object } | { readonly kind: 'notice'; readonly text: string };

  it.each(wires.map((wire) => [wire.name, wire] as const))(
    'make a conversation of %s that is as legal as its own, with notices at every event',
    { timeout: 3_600_000 },
    async (name, own) => {
      const wrapped = mapDialect<Union, object>(dialectNamed(name as 'openai-chat') as never, {
        toWire: (one) => (one.kind === 'said' ? one.wire : undefined),
        fromWire: (wire) => ({ kind: 'said', wire }),
      });
      const refuse: Wire['refuse'] = (messages) => {
        const sent = messages.flatMap(({ wire }) => (wire === undefined ? [] : [wire as never]));
        return sent.length === 0 ? undefined : own.refuse(sent);
      };
      await fc.assert(
        fc.asyncProperty(randomTurns, async (turns) => {
          let count = 0;
          const { refused, lost, doubled } = await play(wrapped, { ...own, refuse }, turns, {
            also: (chat) => {
              chat.push({ kind: 'notice', text: `«notice ${String(++count)}»` });
            },
          });
          expect({ refused, lost, doubled }).toEqual({ refused: [], lost: [], doubled: [] });
        }),
        { numRuns: propertyRuns(20) },
      );
    },
  );
});

describe('results of a type of one’s own', () => {
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  const call = (id: string) => ({ id, type: 'function', function: { name: id, arguments: '{}' } });

  it('are made anew only where what they say has changed, and are told what became of their calls', async () => {
    const made: string[] = [];
    const dialect = mapDialect<{ wire: OpenAIChatMessage }, OpenAIChatMessage>(openaiChat, {
      toWire: ({ wire }) => wire,
      fromWire(wire, calls) {
        made.push(calls.map(({ id, name, status }) => `${id} ${name} ${status}`).join() || wire.role);
        return { wire };
      },
    });
    const agent = new InterruptController();
    const chat = new Conversation(dialect);
    const ends = { a: deferred<string>(), b: deferred<string>(), c: deferred<string>() };
    const seen = new Map<string, Set<object>>();
    chat.onChange((messages) => {
      for (const message of messages) {
        const { tool_call_id: id, content } = message.wire as { tool_call_id?: string; content: string };
        if (id !== undefined) seen.set(`${id}: ${content}`, (seen.get(`${id}: ${content}`) ?? new Set()).add(message));
      }
    });
    made.length = 0;
    const turn = chat.runTurn(agent, 'Go.', async ({ model, tools }) => {
      const reply = await model(() => ({ role: 'assistant', content: null, tool_calls: ['a', 'b', 'c'].map(call) }));
      await tools(reply.calls, ({ id }) => ends[id as 'a'].promise);
    });
    for (const id of ['a', 'b', 'c'] as const) {
      await tick();
      ends[id].resolve(`result of ${id}`);
    }
    await turn;
    for (const [said, objects] of seen) expect([said, objects.size]).toEqual([said, 1]);
    expect(made).toEqual([
      ...['user', 'assistant'],
      ...['a', 'b', 'c'].map((id) => `${id} ${id} unrecorded`),
      ...['a', 'b', 'c'].map((id) => `${id} ${id} completed`),
    ]);
  });

  it('that stand in one message are told of all their calls', async () => {
    const told: unknown[] = [];
    const dialect = mapDialect<Mine, AnthropicMessage>(anthropic, {
      toWire: ({ wire }) => wire,
      fromWire: (wire, calls) => ({ shownAt: String(told.push(calls.map(({ status }) => status))), wire }),
    });
    const agent = new InterruptController();
    const chat = new Conversation(dialect);
    await chat.runTurn(agent, 'Go.', async ({ model, tools }) => {
      const content = [use, { ...use, id: 'b' }];
      const reply = await model(() => ({ role: 'assistant', content }));
      await tools(reply.calls, ({ id }) => {
        if (id === 'a') throw new Error('No.');
        return agent.cancel('user');
      });
    });
    expect(chat.messages).toHaveLength(3);
    expect(told.at(-1)).toEqual(['failed', 'completed']);
  });

  it.each<[string, (partial: (value: unknown) => void, own: object) => unknown]>([
    ['as the reply', (_partial, own) => own],
    ['as what had come of it', (partial, own) => partial(own)],
  ])('are refused %s: that is the provider’s', async (_how, say) => {
    const dialect = mapDialect<{ who: string; text: string }, OpenAIChatMessage>(openaiChat, {
      toWire: ({ who, text }) => ({ role: who === 'bot' ? 'assistant' : 'user', content: text }),
      fromWire: ({ role, content }) => ({ who: role, text: JSON.stringify(content) }),
    });
    const report = await new Conversation(dialect).runTurn(new InterruptController(), 'Go.', ({ model }) =>
      model(({ partial }) => say(partial, { who: 'bot', text: 'forty-two' })),
    );
    expect(report).toMatchObject({
      status: 'failed',
      error: {
        name: 'TypeError',
        message: expect.stringContaining('no message of your own: give map.toWire(message)'),
      },
    });
  });
});
