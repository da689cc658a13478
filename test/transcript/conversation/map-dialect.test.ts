import { describe, expect, it } from 'vitest';
import fc from 'fast-check';

import { InterruptController } from '../../../src/index.ts';
import { Conversation, dialectNamed, mapDialect, repair } from '../../../src/transcript/index.ts';
import { anthropic, type AnthropicMessage } from '../../../src/transcript/dialects/anthropic/index.ts';
import { play, randomTurns } from './support/random-turns.ts';
import { wires, type Wire } from './support/wires.ts';

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

  it('are refused where they are none, by their place', () => {
    expect(() => repair([{ shownAt: 'x', wire: { role: 7 } } as never], { dialect: mine })).toThrow('messages[0].role');
    expect(() => mapDialect(anthropic, {} as never)).toThrow('map.toWire must be a function');
    expect(() => mapDialect('anthropic' as never, {} as never)).toThrow(TypeError);
  });

  it('make a conversation that is as legal as the provider’s own', { timeout: 3_600_000 }, async () => {
    const own = { shownAt: 'then' };
    const wrapped = mapDialect<{ wire: object }, object>(dialectNamed('openai-chat') as never, {
      toWire: ({ wire }) => wire,
      fromWire: (wire) => ({ ...own, wire }),
    });
    const chat = wires.find(({ name }) => name === 'openai-chat') as Wire;
    const judged: Wire = { ...chat, refuse: (messages) => chat.refuse(messages.map(({ wire }) => wire as never)) };
    await fc.assert(
      fc.asyncProperty(randomTurns, async (turns) => {
        const { refused, lost, doubled } = await play(wrapped, judged, turns);
        expect({ refused, lost, doubled }).toEqual({ refused: [], lost: [], doubled: [] });
      }),
      { numRuns: 20 },
    );
  });
});
