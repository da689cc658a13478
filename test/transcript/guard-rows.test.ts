/** Rows of guards: those of calls that no model of the conversation made, and those whose ids the guard had to make up. */
import { describe, expect, it } from 'vitest';
import { guardTools } from '../../src/guard/index.ts';
import { InterruptController } from '../../src/index.ts';
import { anthropic, type AnthropicMessage } from '../../src/transcript/dialects/anthropic/index.ts';
import { dialectNamed, settleTranscript, type DialectName } from '../../src/transcript/index.ts';
import { settleReport } from './support/settle-report.ts';

/** A reply with one call of `pay`, by dialect; the ids are the server's. */
const paying: Readonly<Record<string, (to: string, id: string) => object>> = {
  anthropic: (to, id) => ({ role: 'assistant', content: [{ type: 'tool_use', id, name: 'pay', input: { to } }] }),
  'openai-chat': (to, id) => ({
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name: 'pay', arguments: JSON.stringify({ to }) } }],
  }),
  'openai-responses': (to, id) => ({
    type: 'function_call',
    call_id: id,
    name: 'pay',
    arguments: JSON.stringify({ to }),
  }),
  gemini: (to) => ({ role: 'model', parts: [{ functionCall: { name: 'pay', args: { to } } }] }),
  ollama: (to) => ({ role: 'assistant', content: '', tool_calls: [{ function: { name: 'pay', arguments: { to } } }] }),
  'ai-sdk': (to, id) => ({
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: id, toolName: 'pay', input: { to } }],
  }),
  langchain: (to, id) => ({
    role: 'assistant',
    content: '',
    tool_calls: [{ id, name: 'pay', args: { to }, type: 'tool_call' }],
  }),
};

const result: Readonly<Record<string, (text: string, id: string) => object>> = {
  anthropic: (content, id) => ({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] }),
  'openai-chat': (content, id) => ({ role: 'tool', tool_call_id: id, content }),
  'openai-responses': (output, id) => ({ type: 'function_call_output', call_id: id, output }),
  gemini: (output) => ({ role: 'user', parts: [{ functionResponse: { name: 'pay', response: { output } } }] }),
  ollama: (content) => ({ role: 'tool', tool_name: 'pay', content }),
  'ai-sdk': (value, id) => ({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: id, toolName: 'pay', output: { type: 'text', value } }],
  }),
  langchain: (content, id) => ({ role: 'tool', tool_call_id: id, content }),
};

describe.each(Object.keys(paying))('%s', (name) => {
  const dialect = dialectNamed(name as DialectName) as typeof anthropic;
  const call = (to: string, id = `server_${to}`) => paying[name]?.(to, id) as AnthropicMessage;
  const answer = (to: string, id = `server_${to}`) => result[name]?.(`paid ${to}`, id) as AnthropicMessage;
  const prompt =
    name === 'gemini'
      ? ({ role: 'user', parts: [{ text: 'Pay both.' }] } as AnthropicMessage)
      : ({ role: 'user', content: 'Pay both.' } as const);
  const textOf = (messages: readonly unknown[]): string => JSON.stringify(messages);
  const callsIn = (messages: readonly unknown[]): number =>
    textOf(messages).split(/"name":"pay","(?:arg|input)|"toolName":"pay","input"/).length - 1;

  /** Runs guarded calls as a framework does that gives them no id. */
  const ran = async (status: 'completed' | 'cancelled', ...names: readonly string[]) => {
    const agent = new InterruptController();
    return await agent.runTurn(async (turn) => {
      const { pay } = guardTools({ pay: (input: { to: string }) => Promise.resolve(`paid ${input.to}`) }, { turn });
      for (const to of names) await pay({ to });
      if (status === 'cancelled') {
        agent.cancel('user');
        turn.checkpoint();
      }
    });
  };

  it.each([{}, { turnStart: 0 }])(
    'a row without an id of the server is of the call that asks for the same (%o)',
    async (bounds) => {
      const report = await ran('cancelled', 'Ann', 'Bob');
      const { messages } = settleReport([prompt, call('Ann'), call('Bob')], report, { dialect, ...bounds });
      expect(callsIn(messages)).toBe(2);
      for (const to of ['Ann', 'Bob']) expect(textOf(messages).split(`paid ${to}`)).toHaveLength(2);
      expect(settleReport(messages, report, { dialect, ...bounds }).changes).toEqual([]);
    },
  );

  it('a turn that nobody stopped stays as it is, whatever ids its guards had to make', async () => {
    const report = await ran('completed', 'Ann', 'Bob');
    const history = [prompt, call('Ann'), answer('Ann'), call('Bob'), answer('Bob'), prompt];
    const whole = history.slice(0, -1);
    expect(settleReport(whole, report, { dialect })).toMatchObject({ messages: whole, changes: [] });
    expect(settleReport(history, report, { dialect, turnStart: 0 }).changes).toEqual([]);
  });

  it('a row whose call is nowhere is added all the same', async () => {
    const { messages } = settleReport([prompt], await ran('cancelled', 'Ann'), { dialect });
    expect(textOf(messages)).toContain('paid Ann');
  });

  it('a call that was never begun is not told what one before it that is the same came to', async () => {
    const id = 'call_0';
    const row = { id: name === 'gemini' || name === 'ollama' ? 'pay#1' : id, name: 'pay', ms: 1 };
    const asked = { id: row.id, name: 'pay', input: { to: 'Ann' }, raw: {} };
    const report = {
      status: 'cancelled',
      calls: [{ ...row, call: asked, status: 'completed', value: 'paid Ann' }],
      partials: [],
    } as const;
    const { messages } = settleReport([prompt, call('Ann', id), answer('Ann', id), call('Ann', id)], report, {
      dialect,
    });
    expect(textOf(messages).split('paid Ann')).toHaveLength(2);
    expect(textOf(messages)).toContain('It may have run');
  });
});

describe('a call that a tool makes itself', () => {
  const script = () => [
    {
      role: 'assistant' as const,
      content: [{ type: 'tool_use', id: 'toolu_1', name: 'research', input: { topic: 'cats' } }],
    },
    { role: 'assistant' as const, content: [{ type: 'text', text: 'Cats purr.' }] },
  ];

  it('is no call of the model’s, though it has its row', async () => {
    const replies = script();
    const messages: AnthropicMessage[] = [{ role: 'user', content: 'Research cats.' }];
    const report = await new InterruptController().runTurn(async (turn) => {
      const { search } = guardTools(
        { search: ({ query }: { query: string }) => Promise.resolve(`hits for ${query}`) },
        { turn },
      );
      for (;;) {
        const reply = await turn.model(() => replies.shift());
        messages.push(...anthropic.reply(reply));
        const outcomes = await turn.tools(anthropic.calls(reply), () => search({ query: 'cats' }));
        messages.push(...anthropic.toolResults(outcomes));
        if (outcomes.length === 0) return;
      }
    });
    expect(report.calls).toMatchObject([
      { id: 'toolu_1' },
      { name: 'search', status: 'completed', call: { within: 'toolu_1' } },
    ]);
    expect(settleReport(messages, report, { dialect: anthropic })).toMatchObject({ messages, changes: [] });
  });

  it('answers a call of these messages that nothing else can answer, and no other', () => {
    const call = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} });
    const messages: AnthropicMessage[] = [
      { role: 'user', content: 'Pay.' },
      { role: 'assistant', content: [call('toolu_1', 'pay'), call('toolu_2', 'tell')] },
    ];
    const nested = (id: string, name: string, value: string) => {
      const row = { id, name, input: {}, isSingle: true, within: 'toolu_0' } as const;
      return { id, name, status: 'completed', value, call: row, ms: 1 } as const;
    };
    const own = { id: 'toolu_2', name: 'tell', status: 'completed', value: 'told', call: {}, ms: 1 } as const;
    const outcomes = [
      nested('toolu_1', 'pay', 'paid'),
      own,
      nested('toolu_2', 'tell', 'not this'),
      nested('x', 'pay', ''),
    ];
    expect(settleTranscript(messages, { dialect: anthropic, outcomes }).messages.slice(2)).toMatchObject([
      {
        content: [
          { tool_use_id: 'toolu_1', content: 'paid' },
          { tool_use_id: 'toolu_2', content: 'told' },
        ],
      },
    ]);
  });
});
