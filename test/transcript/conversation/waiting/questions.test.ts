import { describe, expect, it } from 'vitest';

import { InterruptController } from '../../../../src/index.ts';
import { openaiAgents } from '../../../../src/transcript/dialects/openai-agents/index.ts';
import {
  openaiResponses,
  type OpenAIResponsesItem,
} from '../../../../src/transcript/dialects/openai-responses/index.ts';
import { checkTranscript, Conversation, heldByServer, mapDialect, repair } from '../../../../src/transcript/index.ts';

const asks = { type: 'mcp_approval_request', id: 'q', server_label: 's', name: 'pay', arguments: '{}' };
const yes = { type: 'mcp_approval_response', approval_request_id: 'q', approve: true };
const no = { ...yes, approve: false };
const reply = (...output: object[]) => ({ id: 'r', object: 'response', status: 'completed', output });
/** What an answer to nothing that waits is told. */
const late = /^an answer must be to what waits here, got .*mcp_approval_response/;
const said = { type: 'message', role: 'assistant', content: 'Paid.' };

const decisions = (messages: readonly object[]) =>
  messages.flatMap((one) => ('approve' in one ? [(one as typeof yes).approve] : []));

async function asked(chat: Conversation<OpenAIResponsesItem>): Promise<boolean> {
  const report = await chat.runTurn(new InterruptController(), 'Pay.', async (turn) => {
    const { isLast } = await turn.model(() => reply(asks));
    return isLast;
  });
  return report.unwrap();
}

it('a reply that asks a person is the last, and has a no until somebody answers', async () => {
  const chat = new Conversation(openaiResponses);
  expect(await asked(chat)).toBe(true);
  expect(decisions(chat.messages)).toEqual([false]);
});

it.each([
  ['between turns', (chat: Conversation<OpenAIResponsesItem>) => Promise.resolve(chat.push('Well.', yes))],
  [
    'as the prompt of the next turn',
    (chat: Conversation<OpenAIResponsesItem>) => chat.runTurn(new InterruptController(), yes, () => undefined),
  ],
  [
    'after another answer',
    (chat: Conversation<OpenAIResponsesItem>) => Promise.resolve((chat.push(no), chat.push(yes))),
  ],
])('the answer of a person is the only one: %s', async (_when, answer) => {
  const chat = new Conversation(openaiResponses);
  await asked(chat);
  await answer(chat);
  expect(decisions(chat.messages)).toEqual([true]);
  expect(checkTranscript(chat.messages, { dialect: openaiResponses })).toEqual([]);
});

it('an answer within the turn is what the provider is sent', async () => {
  const chat = new Conversation(openaiResponses);
  const sent: boolean[][] = [];
  await chat.runTurn(new InterruptController(), 'Pay.', async (turn) => {
    await turn.model(() => reply(asks));
    chat.push(yes);
    await turn.model(({ messages }) => (sent.push(decisions(messages)), reply(said)));
  });
  expect(sent).toEqual([[true]]);
});

it.each([
  ['stays before a cut reply that has the result of that', true],
  ['becomes a no before one that has none', false],
])('a yes to the provider %s', async (_what, approve) => {
  const agent = new InterruptController();
  const chat = new Conversation(openaiResponses);
  await asked(chat);
  const call = { type: 'mcp_call', id: 'm', name: 'pay', server_label: 'bank', arguments: '{}' };
  const ran = { ...call, approval_request_id: 'q', output: 'paid' };
  const half = { ...ran, output: undefined, status: 'in_progress' };
  await chat.runTurn(agent, yes, (turn) =>
    turn.model(async ({ partial, token }) => {
      partial({ ...reply(approve ? ran : half), status: 'in_progress' });
      agent.cancel('user');
      return await token.whenCancelled().then(() => Promise.reject(new Error('cut')));
    }),
  );
  expect(decisions(chat.messages)).toEqual([approve]);
  expect(JSON.stringify(chat.messages).includes('paid')).toBe(approve);
});

it('a stored conversation takes the answer as well', async () => {
  const before = new Conversation(openaiResponses);
  await asked(before);
  const chat = new Conversation(openaiResponses, { messages: before.messages });
  chat.push(yes);
  expect(decisions(chat.messages)).toEqual([true]);
});

it('an answer that comes too late is refused, and changes nothing', async () => {
  const chat = new Conversation(openaiResponses);
  await asked(chat);
  await chat.runTurn(new InterruptController(), 'So?', (turn) => turn.model(() => reply(said)));
  const before = chat.messages;
  expect(() => {
    chat.push(yes);
  }).toThrow(late);
  expect(chat.messages).toEqual(before);
});

it('an answer that comes too late is refused as well where the conversation was stored, or is a fork', async () => {
  const call = { type: 'function_call', call_id: 'c', name: 'write', arguments: '{}' };
  const before = new Conversation(openaiResponses);
  await asked(before);
  await before.runTurn(new InterruptController(), undefined, async (turn) => {
    const { calls } = await turn.model(() => reply(call));
    await turn.tools(calls, () => 'written');
  });
  for (const chat of [before, before.fork(), new Conversation(openaiResponses, { messages: before.messages })]) {
    expect(() => {
      chat.push(yes);
    }).toThrow(late);
    expect(decisions(chat.messages)).toEqual([false]);
  }
});

it('the answer that the model went on with stays, and a later one goes', () => {
  const list = [{ role: 'user', content: 'Pay.' }, asks, no, said, yes];
  const { messages, changes } = repair(list, { dialect: openaiResponses });
  expect([messages, changes.map(({ at }) => at)]).toEqual([list.slice(0, 4), [4]]);
});

it('of two answers in a list the last one stays', () => {
  const list = [{ role: 'user', content: 'Pay.' }, asks, no, yes];
  expect(checkTranscript(list, { dialect: openaiResponses })).toMatchObject([{ at: 3, rule: 'one-result-per-call' }]);
  expect(repair(list, { dialect: openaiResponses }).messages).toEqual([list[0], asks, yes]);
});

const decided = (messages: readonly object[]) =>
  messages.flatMap((one) =>
    'approve' in one ? [[(one as typeof yes).approval_request_id, (one as typeof yes).approve]] : [],
  );

it.each([
  ['the same again', asks],
  ['something else', { ...asks, arguments: '{"sum":2}' }],
])(
  'the answer of a person names the question as it is in messages, where its id comes again for %s',
  async (_what, second) => {
    const chat = new Conversation(openaiResponses);
    await asked(chat);
    const report = await chat.runTurn(new InterruptController(), 'Again.', (turn) => turn.model(() => reply(second)));
    expect(report.unwrap().isLast).toBe(true);
    const [, own] = decided(chat.messages).map(([id]) => id);
    expect(decided(chat.messages)).toEqual([
      ['q', false],
      [own, false],
    ]);
    expect(() => {
      chat.push(yes);
    }).toThrow(late);
    chat.push({ ...yes, approval_request_id: own } as OpenAIResponsesItem);
    expect(decided(chat.messages)).toEqual([
      ['q', false],
      [own, true],
    ]);
    expect(chat.messages.filter(({ type }) => type === asks.type)).toEqual([asks, { ...second, id: own }]);
    expect(checkTranscript(chat.messages, { dialect: openaiResponses })).toEqual([]);
    const stored = JSON.parse(JSON.stringify(chat.messages)) as OpenAIResponsesItem[];
    expect(new Conversation(openaiResponses, { messages: stored }).messages).toEqual(stored);
    expect(() => {
      new Conversation(openaiResponses, { messages: stored }).push(yes);
    }).toThrow(late);
  },
);

it('two questions of a reply that came with one id are answered each by its own, and neither by that one', async () => {
  const chat = new Conversation(openaiResponses);
  await chat.runTurn(new InterruptController(), 'Pay.', (turn) =>
    turn.model(() => reply(asks, { ...asks, arguments: '{"sum":2}' })),
  );
  expect(() => {
    chat.push(yes);
  }).toThrow(late);
  const [first, second] = decided(chat.messages).map(([id]) => id);
  expect(new Set([first, second, 'q']).size).toBe(3);
  chat.push({ ...yes, approval_request_id: first } as OpenAIResponsesItem);
  expect(new Map(decided(chat.messages) as [string, boolean][])).toEqual(
    new Map([
      [first, true],
      [second, false],
    ]),
  );
  chat.push({ ...yes, approval_request_id: second } as OpenAIResponsesItem);
  expect(new Map(decided(chat.fork().messages) as [string, boolean][])).toEqual(
    new Map([
      [first, true],
      [second, true],
    ]),
  );
  expect(checkTranscript(chat.messages, { dialect: openaiResponses })).toEqual([]);
});

it('answers in a list are of the question asked last with their id', () => {
  const user = { role: 'user', content: 'Pay.' };
  const { messages } = repair([user, asks, no, user, asks, yes], { dialect: openaiResponses });
  const own = decided(messages)[1]?.[0];
  expect(messages).toEqual([user, asks, no, user, { ...asks, id: own }, { ...yes, approval_request_id: own }]);
  expect(own).not.toBe('q');
});

describe('a question and its answer are one', () => {
  const user = { role: 'user', content: 'Pay.' };
  const ask = (chat: Conversation<OpenAIResponsesItem>) =>
    chat.runTurn(new InterruptController(), 'Pay.', (turn) => turn.model(() => reply(asks)));

  it.each(['before the reply', 'in the reply'])('an answer is refused once the no is on its way: %s', async (when) => {
    const chat = new Conversation(openaiResponses);
    await ask(chat);
    const answer = () => {
      chat.push(yes);
    };
    await chat.runTurn(new InterruptController(), undefined, async (turn) => {
      await turn.model(({ messages }) => {
        expect(decisions(messages)).toEqual([false]);
        if (when === 'before the reply') expect(answer).toThrow(late);
        return reply(said);
      });
      expect(answer).toThrow(late);
    });
    expect(decisions(chat.messages)).toEqual([false]);
  });

  it('a request that failed has told nobody the no', async () => {
    const chat = new Conversation(openaiResponses);
    await ask(chat);
    await chat.runTurn(new InterruptController(), undefined, (turn) =>
      turn.model(({ messages }) => {
        throw new Error(String(messages.length));
      }),
    );
    chat.push(yes);
    expect(decisions(chat.messages)).toEqual([true]);
  });

  it('an answer to what nobody asks is refused, named and taken out', async () => {
    const chat = new Conversation(openaiResponses);
    const agent = new InterruptController();
    await chat.runTurn(agent, 'Pay.', (turn) =>
      turn.model(({ partial, signal }) => {
        partial({ output: [asks] });
        agent.cancel('user');
        throw signal.reason;
      }),
    );
    expect(() => {
      chat.push('Well.', yes);
    }).toThrow(late);
    expect(chat.messages).toHaveLength(1);
    const agents = { type: 'hosted_tool_call', name: yes.type, providerData: yes };
    for (const [dialect, answer] of [
      [openaiResponses, yes],
      [openaiAgents, agents],
    ] as [typeof openaiResponses, object][]) {
      const list = [user, answer];
      expect(checkTranscript(list, { dialect })).toMatchObject([{ at: 1, rule: 'answer-has-question' }]);
      const { messages, changes } = repair(list, { dialect });
      expect([messages, changes]).toMatchObject([[user], [{ at: 1, rule: 'answer-has-question' }]]);
    }
    // What only the server has, it may ask.
    const held = heldByServer({ responses: [], conversation: 'conv_1' });
    expect(repair([user, yes], { dialect: openaiResponses, held }).messages).toEqual([user, yes]);
  });

  it('they are dropped together, and without its answer the question has its no again', async () => {
    const chat = new Conversation(openaiResponses);
    const report = await ask(chat);
    const answering = await chat.runTurn(new InterruptController(), yes, () => undefined);
    const fork = chat.fork();
    expect(chat.drop(answering)).toEqual([yes]);
    expect(decisions(chat.messages)).toEqual([false]);
    chat.push(no);
    chat.push(yes);
    expect(decisions(chat.messages)).toEqual([true]);
    expect(chat.drop(report)).toMatchObject([{ content: 'Pay.' }]);
    expect(chat.messages).toEqual([]);
    fork.push(no);
    expect(decisions(fork.messages)).toEqual([false]);
    fork.compact(['So far.'], { upTo: 2 });
    expect(checkTranscript(fork.messages, { dialect: openaiResponses })).toEqual([]);
  });

  it('of answers one after the other the one before comes back with its turn', async () => {
    const chat = new Conversation(openaiResponses);
    await ask(chat);
    const turn = async (prompt: object) => chat.runTurn(new InterruptController(), prompt, () => undefined);
    const reports = [await turn(no), await turn(yes), await turn(no)] as const;
    chat.drop(reports[1]);
    chat.drop(reports[2]);
    expect(chat.messages.filter(({ type }) => type === yes.type)).toEqual([no]);
    chat.drop(reports[0]);
    expect(chat.messages.filter(({ type }) => type === yes.type)).toMatchObject([{ reason: expect.any(String) }]);
  });
});

describe('a yes is an order, given once', () => {
  type Mine = OpenAIResponsesItem | { readonly wire: OpenAIResponsesItem };
  const wires = (messages: readonly Mine[]) => messages.map((one) => ('wire' in one ? one.wire : one));
  const mapped = mapDialect<Mine, OpenAIResponsesItem>(openaiResponses, {
    toWire: (one) => wires([one])[0],
    fromWire: (wire) => ({ wire }),
  });
  const half = { output: [{ ...said, status: 'in_progress', content: [{ type: 'output_text', text: 'Pay' }] }] };
  interface Asked {
    readonly agent: InterruptController;
    readonly partial: (value: object) => void;
  }

  it.each<[when: string, says: string, ask: ((asked: Asked) => void) | undefined]>([
    ['the turn is stopped before it asks', 'was not started', undefined],
    ['the request is stopped that carries it', 'may have run', ({ agent }) => agent.cancel('user')],
    [
      'its reply is stopped half-way',
      'may have run',
      ({ agent, partial }) => {
        partial(half);
        agent.cancel('user');
      },
    ],
    [
      'its reply breaks half-way',
      'may have run',
      ({ partial }) => {
        partial(half);
        throw new Error('broken');
      },
    ],
  ])('and not again where %s', async (_when, says, ask) => {
    for (const dialect of [openaiResponses as unknown as typeof mapped, mapped]) {
      const chat = new Conversation<Mine>(dialect);
      const agent = new InterruptController();
      await chat.runTurn(agent, 'Pay.', (turn) => turn.model(() => reply(asks)));
      const answering = await chat.runTurn(agent, yes, async (turn) => {
        if (ask === undefined) agent.cancel('user');
        await turn.model(({ messages, partial, signal }) => {
          expect(decisions(wires(messages))).toEqual([true]);
          ask?.({ agent, partial });
          if (signal.aborted) throw signal.reason;
        });
      });
      const answers = wires(chat.messages).filter((one) => 'approve' in one) as unknown as (typeof yes & {
        readonly reason: string;
      })[];
      expect(answers.map(({ approve }) => approve)).toEqual([false]);
      expect(answers[0]?.reason).toContain(says);
      expect(dialect.check(chat.messages)).toEqual([]);
      expect(chat.drop(answering)[0]).toEqual(yes);
    }
  });

  it.each([
    ['again where the provider refused its request', { status: 429 }, true],
    ['no more where nobody knows what became of its request', {}, false],
    ['no more where the provider was in trouble', { statusCode: 502 }, false],
  ])('a yes goes out %s', async (_when, answered, isSent) => {
    const chat = new Conversation(openaiResponses);
    const agent = new InterruptController();
    await asked(chat);
    const sent: boolean[][] = [];
    const failed = await chat.runTurn(agent, yes, (turn) =>
      turn.model(({ messages }) => {
        sent.push(decisions(messages));
        throw Object.assign(new Error('no'), answered);
      }),
    );
    expect([failed.status, decisions(chat.messages)]).toEqual(['failed', [isSent]]);
    await chat.runTurn(agent, undefined, (turn) =>
      turn.model(({ messages }) => {
        sent.push(decisions(messages));
        return reply(said);
      }),
    );
    agent.cancel('user');
    expect([sent, decisions(chat.messages)]).toEqual([[[true], [isSent]], [isSent]]);
  });
});
