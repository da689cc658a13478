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
