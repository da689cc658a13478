import { expect, it } from 'vitest';

import { CancelledError, InterruptController, delay } from '../../../src/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';
import { anthropic } from '../../../src/transcript/dialects/anthropic/index.ts';
import { Conversation } from '../../../src/transcript/index.ts';

const text = (words: string): object => ({ role: 'assistant', content: [{ type: 'text', text: words }] });

function stage() {
  const clock = new VirtualClock({ startAt: 1_000 });
  return { clock, agent: new InterruptController({ clock }), chat: new Conversation(anthropic) };
}

it('a call that a message cuts has said what it said, and the message comes next', async () => {
  const { agent, chat, clock } = stage();
  const turn = chat.runTurn(agent, 'Go.', async (own) => {
    const cut = await own.model(({ partial, signal }) => {
      partial({ message: text('I was'), isComplete: false });
      return delay(signal, 1000);
    });
    expect([cut.status, cut.calls, cut.isLast, own.hasInterjections]).toEqual(['interjected', [], false, true]);
    const next = await own.model(({ messages }) => text(`${String(messages.length)} messages`));
    expect(next.delivered).toHaveLength(1);
    return next.isLast;
  });
  await clock.advance(1);
  agent.interject('use pnpm', { delivery: 'now' });
  await clock.advance(1);
  expect((await turn).unwrap()).toBe(true);
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(JSON.stringify(chat.messages.at(-1))).toContain('3 messages');
});

it('messages that nobody looked at are not told, and wait', async () => {
  const { agent, chat } = stage();
  const report = await chat.runTurn(agent, 'Go.', async ({ model }) => {
    agent.interject('use pnpm');
    return (await model(() => text('one'))).isLast;
  });
  expect([report.unwrap(), report.undelivered.length, chat.messages.length]).toEqual([false, 1, 2]);
});

it('a call that is stopped alone keeps its words with the reason of its own stop', async () => {
  const { agent, chat } = stage();
  const own = new AbortController();
  const report = await chat.runTurn(agent, 'Go.', async ({ model }) => {
    const call = model(
      ({ partial, signal }) => {
        partial(text('half'));
        own.abort();
        return delay(signal, 1000);
      },
      { token: own.signal },
    );
    await expect(call).rejects.toThrow(CancelledError);
    return 'goes on';
  });
  expect(report.unwrap()).toBe('goes on');
  expect(JSON.stringify(chat.messages[1])).toMatch(/half.*cut off before its end/);
});

it('a loop that never reads its messages while one waits is told so, and does not go on for ever', async () => {
  const { agent, chat } = stage();
  let n = 0;
  const report = await chat.runTurn(agent, 'Go.', async ({ model }) => {
    for (;;) {
      const reply = await model(() => {
        if ((n += 1) === 1) agent.interject('use pnpm');
        return text('answer');
      });
      if (reply.isLast || n > 9) return;
    }
  });
  expect(report).toMatchObject({ status: 'failed', error: expect.any(TypeError) });
  expect(() => report.unwrap()).toThrow('send the `messages` that the call is given');
  expect(n).toBe(3);
});

it('what was kept from a turn that was stopped stands before the next prompt, as it was said', async () => {
  const clock = new VirtualClock();
  const agent = new InterruptController({ clock, undelivered: 'keep' });
  const chat = new Conversation(anthropic);
  const stopped = chat.runTurn(agent, 'Build it.', ({ model }) => model(({ signal }) => delay(signal, 1000)));
  await clock.advance(1);
  const kept = agent.interject('use pnpm');
  agent.cancel('user');
  await stopped;
  const report = await chat.runTurn(agent, 'No, use npm.', ({ model }) =>
    model(({ messages }) => text(messages.map(({ content }) => JSON.stringify(content)).join())),
  );
  const said = JSON.stringify(chat.messages.at(-1));
  expect(said.indexOf('use pnpm')).toBeLessThan(said.indexOf('No, use npm.'));
  expect(said).toContain('use pnpm');
  expect(said).not.toContain('PRIORITY');
  expect([kept.status, report.undelivered]).toEqual(['delivered', []]);
  expect(JSON.stringify(chat.drop(report))).toMatch(/use pnpm.*No, use npm/);
});

it.each([
  ['nothing', undefined],
  ['an error', { error: { message: 'overloaded' } }],
  ['an empty list', { choices: [] }],
  ['a reply of another dialect', { role: 'assistant', content: null, tool_calls: [{ id: 'a', function: {} }] }],
])('a message is delivered by the reply that is taken, and told once: before it comes %s', async (what, value) => {
  const { agent, chat } = stage();
  const sent: number[] = [];
  const report = await chat.runTurn(agent, 'Go.', async ({ model }) => {
    const message = agent.interject('use pnpm');
    const call = (reply: unknown) => model(({ messages }) => (sent.push(messages.length), reply));
    await expect(call(value)).rejects.toThrow(what === 'an error' ? /^the provider ended the reply/ : TypeError);
    const before = message.status;
    const { delivered } = await call(text('ok'));
    return [before, delivered.length, message.status];
  });
  expect([report.unwrap(), sent]).toEqual([
    ['queued', 1, 'delivered'],
    [2, 2],
  ]);
  expect(JSON.stringify(chat.messages).match(/use pnpm/g)).toHaveLength(1);
});

it('a call that a loop makes behind its turn is refused, and in nobody’s way', async () => {
  const { agent, chat } = stage();
  let late: (() => Promise<unknown>) | undefined;
  await chat.runTurn(agent, 'Go.', ({ model }) => {
    late = () => model(() => text('late'));
    agent.cancel('user');
  });
  const report = await chat.runTurn(agent, 'And?', async ({ model }) => {
    const refused = expect(late?.()).rejects.toThrow(CancelledError);
    await model(() => text('one'));
    await refused;
  });
  expect(report.status).toBe('completed');
  expect(JSON.stringify(chat.messages)).not.toContain('late');
});
