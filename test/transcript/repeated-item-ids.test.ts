/** Servers that number the items of each reply anew: what a conversation has can be sent all the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { InterruptController } from '../../src/index.ts';
import { openaiAgents, type OpenAIAgentsItem } from '../../src/transcript/dialects/openai-agents/index.ts';
import { openaiResponses, type OpenAIResponsesItem } from '../../src/transcript/dialects/openai-responses/index.ts';
import { Conversation, mapDialect, repair, type TranscriptDialect } from '../../src/transcript/index.ts';

type Item = OpenAIResponsesItem | OpenAIAgentsItem;
type Kind = 'message' | 'reasoning' | 'call' | 'search';

const responses: Readonly<Record<Kind, (n: number) => object>> = {
  message: (n) => ({
    type: 'message',
    id: 'msg_0',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: `Hi ${String(n)}`, annotations: [] }],
  }),
  reasoning: () => ({ type: 'reasoning', id: 'rs_0', summary: [], encrypted_content: 'x' }),
  call: () => ({ type: 'function_call', id: 'fc_0', call_id: 'call_0', name: 'read', arguments: '{}' }),
  search: () => ({ type: 'web_search_call', id: 'ws_0', status: 'completed', action: { type: 'search', query: 'q' } }),
};

const agents: typeof responses = {
  ...responses,
  reasoning: () => ({ type: 'reasoning', id: 'rs_0', content: [] }),
  call: () => ({
    type: 'function_call',
    id: 'fc_0',
    callId: 'call_0',
    name: 'read',
    status: 'completed',
    arguments: '{}',
  }),
  search: () => ({ type: 'hosted_tool_call', id: 'ws_0', name: 'web_search_call', status: 'completed' }),
};

const own = mapDialect(openaiResponses, {
  toWire: ({ wire }: { readonly wire: OpenAIResponsesItem }) => wire,
  fromWire: (wire) => ({ wire }),
});

const ways: Readonly<Record<string, readonly [TranscriptDialect<never, unknown>, typeof responses]>> = {
  'openai-responses': [openaiResponses, responses],
  'openai-agents': [openaiAgents, agents],
  'openai-responses by mapDialect': [own, responses],
};

const reply = fc
  .tuple(fc.subarray<Kind>(['reasoning', 'search', 'call', 'message']), fc.boolean())
  .map(([kinds, isCut]) => ({ kinds: kinds.length === 0 ? (['message'] as const) : kinds, isCut }));

describe('item ids that a server gives again in each reply', () => {
  for (const [title, [given, items]] of Object.entries(ways)) {
    const dialect = given as unknown as TranscriptDialect<Item>;

    it(`leave every request of ${title} legal, and nothing to repair, over whole and cut replies`, async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(reply, { minLength: 1, maxLength: 6 }), async (replies) => {
          const chat = new Conversation(dialect);
          for (const [n, { kinds, isCut }] of replies.entries()) {
            const agent = new InterruptController();
            await chat.runTurn(agent, `Question ${String(n)}`, async (turn) => {
              const { calls } = await turn.model(({ messages, partial, signal }) => {
                expect(dialect.check(messages)).toEqual([]);
                const value = { output: kinds.map((kind) => items[kind](n)) };
                if (!isCut) return value;
                partial(value);
                agent.cancel('user');
                return Promise.reject(signal.reason as Error);
              });
              await turn.tools(calls, () => 'read');
            });
            expect(dialect.check(chat.messages)).toEqual([]);
            expect(repair(chat.messages, { dialect }).changes).toEqual([]);
          }
        }),
      );
    });
  }

  it('are taken out of a reply, which keeps what it says, also where it says the same again', async () => {
    const chat = new Conversation(openaiResponses);
    for (const question of ['a', 'b']) {
      await chat.runTurn(new InterruptController(), question, (turn) =>
        turn.model(() => ({ output: [responses.message(1)] })),
      );
    }
    const [first, again] = chat.messages.filter(({ role }) => role === 'assistant');
    expect(first).toMatchObject({ id: 'msg_0' });
    expect(again).not.toHaveProperty('id');
    expect(again).toMatchObject({ content: [{ text: 'Hi 1' }] });
  });
});
