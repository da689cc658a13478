import { describe, expect, it } from 'vitest';

import { InterruptController, delay, priorityMessage } from '../../../src/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { anthropic, type AnthropicMessage } from '../../../src/transcript/dialects/anthropic/index.ts';
import { openaiAgents, type OpenAIAgentsItem } from '../../../src/transcript/dialects/openai-agents/index.ts';
import { Conversation } from '../../../src/transcript/index.ts';

const use = (id: string, name = 'pay', input: object = {}): object => ({ type: 'tool_use', id, name, input });
const text = (words: string): object => ({ type: 'text', text: words });
const reply = (...content: object[]): AnthropicMessage =>
  ({ role: 'assistant', content }) as unknown as AnthropicMessage;
const shown = (messages: readonly AnthropicMessage[]): string[] => messages.map((one) => JSON.stringify(one.content));

function stage() {
  const clock = new VirtualClock({ startAt: 1_000 });
  return {
    clock,
    agent: new InterruptController({ clock, name: 'main', graceMs: 10 }),
    chat: new Conversation(anthropic),
  };
}

describe('a turn of a conversation', () => {
  it('has the whole loop in its messages, and nothing is pushed by hand', async () => {
    const { agent, chat } = stage();
    const script = [reply(use('a'), use('b')), reply(text('Done.'))];
    const report = await chat.runTurn(agent, 'Pay both.', async (turn) => {
      for (;;) {
        const answer = await turn.model(({ messages }) => {
          expect(anthropic.check(messages)).toEqual([]);
          return script.shift();
        });
        await turn.tools(answer.calls, ({ id }) => `paid ${id}`);
        if (answer.isLast) return 'over';
      }
    });
    expect(report.unwrap()).toBe('over');
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    expect(shown(chat.messages)[2]).toContain('paid b');
    expect(anthropic.check(chat.messages)).toEqual([]);
  });

  it('finds an outcome by the call object, whatever ids the server gives', async () => {
    const { agent, chat } = stage();
    await chat.runTurn(agent, 'Pay.', async (turn) => {
      for (const amount of [1, 2]) {
        const { calls } = await turn.model(() =>
          reply(use('x', 'pay', { amount }), use('x', 'pay', { amount: -amount })),
        );
        await turn.tools([...calls].reverse(), ({ input }) => `paid ${JSON.stringify(input)}`);
      }
    });
    interface Block {
      readonly tool_use_id?: string;
      readonly id?: string;
      readonly content?: string;
      readonly input?: object;
    }
    const results = chat.messages.flatMap(({ content }) =>
      Array.isArray(content) ? (content as readonly Block[]) : [],
    );
    const paid = new Map(results.map((one) => [one.tool_use_id, one.content]));
    const calls = results.filter(({ id }) => id !== undefined);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(4);
    for (const { id, input } of calls) expect(paid.get(id)).toBe(`paid ${JSON.stringify(input)}`);
    expect(anthropic.check(chat.messages)).toEqual([]);
  });

  it('never says that a call did not start which the program ran in its own way', async () => {
    const { agent, chat } = stage();
    await chat.runTurn(agent, 'Pay, then deploy.', async (turn) => {
      const { calls } = await turn.model(() => reply(use('a'), use('b', 'deploy')));
      const [, deploy] = calls;
      await turn.tools([deploy as object], (_call, { token }) => {
        agent.cancel('user');
        return delay(token, 60_000);
      });
    });
    expect(shown(chat.messages).at(-1)).toContain('It may have run');
    expect(shown(chat.messages).at(-1)).not.toContain('not started');
  });

  it.each(['completed', 'cancelled', 'failed'])('nor of one that it ran from the reply itself: %s', async (end) => {
    const { agent, chat } = stage();
    const sent: unknown[] = [];
    await chat.runTurn(agent, 'Pay.', async (turn) => {
      await turn.model(() => reply(use('a'))); // it has what it returned
      sent.push(shown(chat.messages).at(-1));
      if (end === 'cancelled') agent.cancel('user');
      if (end === 'failed') throw new Error('out of paper');
    });
    expect(sent).toEqual([expect.stringContaining('It may have run')]);
    expect(shown(chat.messages).at(-1)).toContain('It may have run');
  });

  it('keeps what requests said of it when a later call of the turn is stopped', async () => {
    const { agent, chat } = stage();
    let sent: readonly unknown[] = [];
    await chat.runTurn(agent, 'Pay.', async (turn) => {
      void (await turn.model(() => reply(use('a')))).calls;
      await turn.model(({ messages, signal }) => {
        sent = messages;
        agent.cancel('user');
        return delay(signal, 1000);
      });
    });
    expect(chat.messages.slice(0, sent.length)).toEqual(sent);
  });

  it('tells what was cut, and that its calls never ran', async () => {
    const { agent, chat } = stage();
    const report = await chat.runTurn(agent, 'Go.', (turn) =>
      turn.model(({ partial, signal }) => {
        partial({ message: reply(text('I pay'), use('a')), isComplete: false });
        agent.cancel('user');
        return delay(signal, 1000);
      }),
    );
    expect(report.status).toBe('cancelled');
    expect(shown(chat.messages).slice(1)).toEqual([
      expect.stringContaining('I pay'),
      expect.stringContaining('This call was not started, so nothing happened: the user cancelled'),
    ]);
  });

  it('puts a message where it was read, and gives it back to the next call if the model failed', async () => {
    const { agent, chat } = stage();
    await chat.runTurn(agent, 'Go.', async (turn) => {
      await turn.model(() => reply(text('one')));
      agent.interject('use pnpm');
      await expect(
        turn.model(({ messages, partial }) => {
          partial(reply(text(`tw ${String(messages.length)}`)));
          throw new Error('429');
        }),
      ).rejects.toThrow('429');
      await turn.model(() => reply(text('lost')), { aside: true });
      await turn.model(({ messages }) => reply(text(`two ${String(messages.length)}`)));
    });
    expect(chat.messages.map(({ content }) => content)).toEqual([
      'Go.',
      [text('one')],
      priorityMessage('use pnpm'),
      [text('two 3')],
    ]);
  });

  it('keeps what a failed call had said where nobody asked again', async () => {
    const { agent, chat } = stage();
    await chat.runTurn(agent, 'Go.', (turn) =>
      turn.model(({ partial }) => {
        partial(reply(text('half')));
        throw new Error('gone');
      }),
    );
    expect(shown(chat.messages)[1]).toContain('half');
    expect(shown(chat.messages)[1]).toContain('cut off before its end');
  });

  it('goes on after its own limit from what it had said', async () => {
    const { agent, chat, clock } = stage();
    let attempt = 0;
    const turn = chat.runTurn(agent, 'Count.', (own) =>
      own.model(
        async ({ partial, signal, messages }) => {
          if (++attempt > 1) return reply(text(`three ${String(messages.length)}`));
          partial(reply(text('one two')));
          await delay(signal, 1000);
          return undefined;
        },
        { idleMs: 20, recover: { attempts: 1 } },
      ),
    );
    await clock.advance(20);
    expect((await turn).status).toBe('completed');
    expect(shown(chat.messages)).toEqual([
      '"Count."',
      expect.stringContaining('one two'),
      expect.stringContaining('Go on exactly where it ends'),
      expect.stringContaining('three 3'),
    ]);
  });

  it('S46 knows nothing of asides and steps', async () => {
    const { agent, chat } = stage();
    await chat.runTurn(agent, 'Go.', async (turn) => {
      await turn.model(() => 'a title', { aside: true });
      await turn.step('PreToolUse', () => 'lint passed');
      const { calls } = await turn.model(() => reply(use('a')));
      await turn.tools(calls, () => 'ok');
      void turn.step('PostToolUse', ({ token }) => delay(token, 1000));
      agent.cancel('user');
    });
    expect(chat.messages).toHaveLength(3);
    expect(JSON.stringify(chat.messages)).not.toMatch(/ToolUse"|title|lint/);
  });

  it('refuses a second model call at the same time, and what is no reply', async () => {
    const { agent, chat } = stage();
    await chat.runTurn(agent, 'Go.', async (turn) => {
      const held = deferred<object>();
      const first = turn.model(() => held.promise);
      await expect(turn.model(() => reply(text('x')))).rejects.toThrow('fork() gives one');
      held.resolve(reply(text('one')));
      await first;
      await expect(turn.model(() => 7)).rejects.toThrow('a reply of anthropic');
    });
    expect(chat.messages).toHaveLength(2);
  });

  it('can be taken apart and spread, as a turn and its context can', async () => {
    const { agent, chat } = stage();
    await chat.runTurn(agent, 'Go.', async (turn) => {
      const { model, ...rest } = { ...turn };
      expect(rest.signal).toBe(turn.signal);
      await model((context) => {
        const { messages, signal } = { ...context };
        expect([messages.length, signal.aborted]).toEqual([1, false]);
        return reply(text('ok'));
      });
    });
  });
});

describe('what a process leaves that dies in the middle of a batch', () => {
  it('holds each outcome that had come, and is heard of each', async () => {
    const { agent, chat } = stage();
    const stored: string[] = [];
    const end = chat.onChange((messages) => stored.push(JSON.stringify(messages)));
    chat.onChange(() => {
      end();
    });
    const open = deferred<string>();
    const turn = chat.runTurn(agent, 'Go.', async ({ model, tools }) => {
      const { calls } = await model(() => reply(use('a'), use('b', 'deploy')));
      await tools(calls, ({ name }) => (name === 'pay' ? 'paid 10' : open.promise));
    });
    await new Promise((resolve) => setImmediate(resolve));
    const again = new Conversation(anthropic, {
      messages: JSON.parse(JSON.stringify(chat.messages)) as AnthropicMessage[],
    });
    expect(shown(again.messages).at(-1)).toMatch(/paid 10.*No result was recorded/);
    expect(stored).toHaveLength(1);
    open.resolve('deployed');
    await turn;
    expect(shown(chat.messages).at(-1)).toMatch(/paid 10.*deployed/);
  });

  it('reports what a listener throws, and goes on', () => {
    const { chat } = stage();
    const { error } = console;
    const seen: unknown[] = [];
    console.error = (...args: readonly unknown[]) => seen.push(args[1]);
    chat.onChange(() => {
      throw new Error('disk full');
    });
    chat.push('Hello');
    console.error = error;
    expect(seen).toMatchObject([{ message: 'disk full' }]);
    expect(chat.messages).toHaveLength(1);
  });
});

describe('a conversation between turns', () => {
  async function stopped() {
    const all = stage();
    all.chat.push('hi', reply(text('hello')));
    const report = await all.chat.runTurn(all.agent, 'go', async (turn) => {
      await turn.model(() => reply(text('one')));
      all.agent.interject('use pnpm');
      const { calls } = await turn.model(({ messages }) => messages.length > 0 && reply(use('a')));
      await turn.tools(calls, () => 'ok');
      all.agent.cancel('user');
    });
    return { ...all, report };
  }

  it('drops a turn once, and gives back what the person had said in it', async () => {
    const { chat, report } = await stopped();
    chat.push('next');
    expect(chat.drop(report).map(({ content }) => content)).toEqual(['go', 'use pnpm']);
    expect(chat.drop(report)).toEqual([]);
    expect(chat.messages.map(({ content }) => content)).toEqual(['hi', [text('hello')], 'next']);
  });

  it('gives back what the person had said in a turn also where a summary stands for it', async () => {
    const { chat, report } = await stopped();
    chat.compact(['Summary of the start.'], { upTo: 3 });
    chat.compact(['Summary.'], { upTo: 2 });
    expect(chat.drop(report).map(({ content }) => content)).toEqual(['go', 'use pnpm']);
    expect(chat.drop(report)).toEqual([]);
    expect(chat.messages.map(({ content }) => content)).toEqual(['Summary.']);
  });

  it('says on the model’s side that a turn was interrupted, once', async () => {
    const { chat } = await stopped();
    chat.mark();
    chat.mark();
    expect(shown(chat.messages).at(-1)).toContain('This turn was interrupted');
    expect(chat.messages).toHaveLength(8);
  });

  it('is compacted, also in mid-turn, and never tells again what was replaced', async () => {
    const { agent, chat } = stage();
    const script = [reply(use('t1')), reply(use('t2')), reply(text('Both are paid.'))];
    await chat.runTurn(agent, 'Pay Ann and Bob.', async (turn) => {
      for (;;) {
        if (script.length === 1) chat.compact(['Summary: both were paid. Tell the user.']);
        const answer = await turn.model(({ messages }) => (expect(messages.length).toBeGreaterThan(0), script.shift()));
        await turn.tools(answer.calls, () => 'paid');
        if (answer.isLast) return;
      }
    });
    expect(chat.messages.map(({ content }) => content)).toEqual([
      'Summary: both were paid. Tell the user.',
      [text('Both are paid.')],
    ]);
  });

  it('does not tear a reply from its results when it is compacted', async () => {
    const { chat } = await stopped();
    chat.compact(['Summary.'], { upTo: 6 });
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
    expect(anthropic.check(chat.messages)).toEqual([]);
    expect(() => {
      chat.compact(['x'], { upTo: 9 });
    }).toThrow('upTo must be a number of messages, 0 to 3, got 9');
    expect(() => {
      chat.compact(['x'], { upTo: null as never });
    }).toThrow(new RangeError('upTo must be a number of messages, 0 to 3, got null'));
  });

  it('drops only what is a report, and nothing of a fork that was made after its turn', async () => {
    const { agent, chat } = stage();
    const turn = chat.runTurn(agent, 'Pay.', () => 'over');
    expect(() => chat.drop(turn as never)).toThrow(
      new TypeError('report must be what runTurn resolved with, got an instance of Promise'),
    );
    expect(() => chat.drop({} as never)).toThrow('got an instance of Object');
    const report = await turn;
    expect(() => chat.fork().drop(report)).toThrow(
      new TypeError('report must be of a turn of this conversation: a fork has none of before'),
    );
    expect(chat.drop(report)).toHaveLength(1);
    expect(chat.drop(report)).toEqual([]);
  });

  it('S48 tells a late outcome once, also as a copy, and of a call that was dropped too', async () => {
    const { agent, chat, clock } = stage();
    const end = deferred<string>();
    const turn = chat.runTurn(agent, 'Pay.', async ({ model, tools }) => {
      const { calls } = await model(() => reply(use('a')));
      await tools(calls, () => end.promise);
    });
    await clock.advance(0);
    agent.cancel('user');
    await clock.advance(10);
    await turn;
    end.resolve('paid');
    await clock.advance(0);
    const late = agent.takeLateOutcomes();
    const told = (): number => shown(chat.messages).filter((one) => one.includes('has completed since')).length;
    chat.late(late);
    chat.late(late);
    chat.late(JSON.parse(JSON.stringify(late)) as typeof late);
    expect(told()).toBe(1);
    const fork = chat.fork();
    fork.late(late);
    expect(shown(fork.messages)).toEqual(shown(chat.messages));
    chat.late([{ ...(late[0] as (typeof late)[number]), id: 'b' }]);
    expect(told()).toBe(2);
    chat.drop(await turn);
    expect(told()).toBe(2);
    expect(anthropic.check(chat.messages)).toEqual([]);
  });

  it('can be forked, and the two know nothing of each other', () => {
    const { chat } = stage();
    chat.push('hi');
    const other = chat.fork();
    other.push('there');
    expect([chat.messages.length, other.messages.length]).toEqual([1, 2]);
  });

  it('repairs what was stored, once', () => {
    const chat = new Conversation(anthropic, {
      messages: [{ role: 'user', content: 'go' }, reply(use('a'))],
      wording: { unknown: { unrecorded: 'Nobody knows.' } },
    });
    expect(shown(chat.messages).at(-1)).toContain('Nobody knows.');
    expect(() => new Conversation('anthropic' as never)).toThrow('options.dialect must be a dialect');
  });
});

describe('what the provider runs itself', () => {
  const search = { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} };
  const found = { type: 'web_search_tool_result', tool_use_id: 's1', content: [] };

  it('goes on in the next reply', async () => {
    const { agent, chat } = stage();
    const script = [reply(text('I look.'), search), reply(found, text('Found.'))];
    await chat.runTurn(agent, 'Look.', async (turn) => {
      for (;;) {
        const answer = await turn.model(({ messages }) => {
          expect(anthropic.check(messages)).toEqual([]);
          return script.shift();
        });
        if (answer.isLast) return;
      }
    });
    expect(chat.messages.map(({ content }) => content)).toEqual([
      'Look.',
      [text('I look.'), search],
      [found, text('Found.')],
    ]);
  });

  it('is taken out and said where its reply was cut, or its turn ended', async () => {
    for (const isCut of [true, false]) {
      const { agent, chat } = stage();
      await chat.runTurn(agent, 'Look.', (turn) =>
        turn.model(({ partial, signal }): unknown => {
          if (!isCut) return reply(text('I look.'), search);
          partial({ message: reply(text('I look.'), search), isComplete: false });
          agent.cancel('user');
          return delay(signal, 1000);
        }),
      );
      expect(shown(chat.messages).at(-1)).toContain('while the provider ran: web_search');
      expect(JSON.stringify(chat.messages)).not.toContain('server_tool_use');
      expect(anthropic.check(chat.messages)).toEqual([]);
    }
  });
});

describe('calls that wait for somebody', () => {
  const call = { type: 'function_call', callId: 'a', name: 'pay', arguments: '{}', status: 'completed' };
  const stored: OpenAIAgentsItem[] = [{ role: 'user', content: 'Pay.' } as OpenAIAgentsItem, call];

  it('stay open at the end of what was stored if that is said, and nobody else’s do', () => {
    expect(new Conversation(openaiAgents, { messages: stored, waits: true }).messages).toEqual(stored);
    const chat = new Conversation(openaiAgents, { messages: stored });
    expect(chat.messages[2]).toMatchObject({ type: 'function_call_result', callId: 'a' });
    // Only those behind the last words of a person: the others are nobody’s any more.
    const old = new Conversation(openaiAgents, { messages: [...stored, ...stored], waits: true });
    expect(old.messages.map(({ type }) => type)).toEqual([
      ...[undefined, 'function_call', 'function_call_result'],
      ...[undefined, 'function_call'],
    ]);
  });

  it('are closed by a prompt, answered by a result, and open in a fork', () => {
    const waiting = () => new Conversation(openaiAgents, { messages: stored, waits: true });
    const [closed, answered] = [waiting(), waiting()];
    closed.push('Never mind.');
    const types = [undefined, 'function_call', 'function_call_result', 'message'];
    expect(closed.messages.map(({ type }) => type)).toEqual(types);
    const result = { type: 'function_call_result', callId: 'a', name: 'pay', status: 'completed', output: 'paid' };
    answered.push(result);
    expect(answered.messages).toEqual([...stored, result]);
    expect(openaiAgents.check(answered.messages)).toEqual([]);
    answered.push('Thanks.');
    expect(answered.messages.slice(0, 3)).toEqual([...stored, result]);
    expect(waiting().fork().messages).toEqual(stored);
  });
});
