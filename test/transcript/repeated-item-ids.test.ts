/** Servers that number the items of each reply anew: what a conversation has can be sent all the same. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { InterruptController } from '../../src/index.ts';
import { openaiAgents, type OpenAIAgentsItem } from '../../src/transcript/dialects/openai-agents/index.ts';
import { openaiResponses, type OpenAIResponsesItem } from '../../src/transcript/dialects/openai-responses/index.ts';
import { Conversation, mapDialect, repair, type TranscriptDialect } from '../../src/transcript/index.ts';

type Item = OpenAIResponsesItem | OpenAIAgentsItem;
type Kind = 'message' | 'reasoning' | 'call' | 'search';
/** An item of each kind in the reply to a question, and the result of a call. */
type Server = Readonly<Record<Kind | 'result', (n: number) => object>>;

const responses: Server = {
  message: (n) => ({
    type: 'message',
    id: 'msg_0',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: `said<${String(n)}>`, annotations: [] }],
  }),
  reasoning: (n) => ({ type: 'reasoning', id: 'rs_0', summary: [], encrypted_content: `seal<${String(n)}>` }),
  call: (n) => ({
    type: 'function_call',
    id: 'fc_0',
    call_id: 'call_0',
    name: 'read',
    arguments: JSON.stringify({ mark: `call<${String(n)}>` }),
  }),
  search: (n) => ({
    type: 'web_search_call',
    id: 'ws_0',
    status: 'completed',
    action: { type: 'search', query: `search<${String(n)}>` },
  }),
  result: (n) => ({ type: 'function_call_output', call_id: 'call_0', output: `result<${String(n)}>` }),
};

const agents: Server = {
  ...responses,
  reasoning: (n) => ({
    type: 'reasoning',
    id: 'rs_0',
    content: [],
    providerData: { encrypted_content: `seal<${String(n)}>` },
  }),
  call: (n) => ({
    type: 'function_call',
    id: 'fc_0',
    callId: 'call_0',
    name: 'read',
    status: 'completed',
    arguments: JSON.stringify({ mark: `call<${String(n)}>` }),
  }),
  search: (n) => ({
    type: 'hosted_tool_call',
    id: 'ws_0',
    name: 'web_search_call',
    status: 'completed',
    output: `search<${String(n)}>`,
  }),
  result: (n) => ({
    type: 'function_call_result',
    callId: 'call_0',
    name: 'read',
    status: 'completed',
    output: { type: 'text', text: `result<${String(n)}>` },
  }),
};

/** The marks of what somebody said. */
function marksIn(value: unknown): readonly string[] {
  return (JSON.stringify(value).match(/\w+<\d+>/g) ?? []).sort();
}

const own = mapDialect(openaiResponses, {
  toWire: ({ wire }: { readonly wire: OpenAIResponsesItem }) => wire,
  fromWire: (wire) => ({ wire }),
});

const ways: Readonly<
  Record<string, readonly [TranscriptDialect<never, unknown>, Server, wrap?: (item: object) => object]>
> = {
  'openai-responses': [openaiResponses, responses],
  'openai-agents': [openaiAgents, agents],
  'openai-responses by mapDialect': [own, responses, (wire) => ({ wire })],
};

const reply = fc
  .tuple(fc.subarray<Kind>(['reasoning', 'search', 'call', 'message']), fc.boolean())
  .map(([kinds, isCut]) => ({ kinds: kinds.length === 0 ? (['message'] as const) : kinds, isCut }));

/** A thought that leads to nothing is refused. */
function isKept(kind: Kind, _at: number, { length }: readonly Kind[]): boolean {
  return kind !== 'reasoning' || length > 1;
}

describe('item ids that a server gives again in each reply', () => {
  for (const [title, [given, items, wrap = (item: object) => item]] of Object.entries(ways)) {
    const dialect = given as unknown as TranscriptDialect<Item>;

    it(`lose nothing of whole and cut replies of ${title}, and leave every request legal and nothing to repair`, async () => {
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
          const said = replies.flatMap(({ kinds }, n) => kinds.filter(isKept).map((kind) => items[kind](n)));
          expect(marksIn(chat.messages)).toEqual(marksIn(said));
        }),
      );
    });

    it(`lose nothing of a list of ${title} that is repaired`, () => {
      fc.assert(
        fc.property(fc.array(reply, { minLength: 1, maxLength: 6 }), (replies) => {
          const list = replies.flatMap(({ kinds }, n) => [
            { role: 'user', content: `question<${String(n)}>` },
            ...kinds.filter(isKept).map((kind) => items[kind](n)),
            ...kinds.filter((kind) => kind === 'call').map(() => items.result(n)),
          ]);
          const { messages } = repair(list.map(wrap) as Item[], { dialect });
          expect(dialect.check(messages)).toEqual([]);
          expect(marksIn(messages)).toEqual(marksIn(list));
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
    expect(again).toMatchObject({ content: [{ text: 'said<1>' }] });
  });

  it('are of calls of the provider that ran twice, also where these are the same', () => {
    const call = { type: 'mcp_call', id: 'mcp_0', name: 'pay', server_label: 's', arguments: '{}', output: 'paid' };
    const user = { role: 'user', content: 'Pay.' };
    const { id: _id, ...again } = call;
    expect(repair([user, call, user, call], { dialect: openaiResponses }).messages).toEqual([user, call, user, again]);
  });
});
