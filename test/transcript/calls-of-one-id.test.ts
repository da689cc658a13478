/** Two calls of one reply that share an id: the very same call is run once and sent once, another one is run as well. */
import { describe, expect, it } from 'vitest';

import { InterruptController } from '../../src/index.ts';
import { checkTranscript, dialectNamed, repair, messageWriter } from '../../src/transcript/index.ts';
import type { OpenAIChatMessage } from '../../src/transcript/dialects/openai-chat/index.ts';
import { dialectNames } from '../../src/transcript/dialects/table.ts';

interface Asked {
  readonly id: string;
  readonly name: string;
  readonly to: string;
}

/** A whole reply in each dialect. */
const forms: Readonly<Record<string, (calls: readonly Asked[]) => object>> = {
  anthropic: (calls) => ({
    role: 'assistant',
    content: calls.map(({ id, name, to }) => ({ type: 'tool_use', id, name, input: { to } })),
  }),
  'openai-chat': (calls) => ({
    role: 'assistant',
    content: null,
    tool_calls: calls.map(({ id, name, to }) => ({
      id,
      type: 'function',
      function: { name, arguments: JSON.stringify({ to }) },
    })),
  }),
  'openai-responses': (calls) => ({
    id: 'resp_1',
    status: 'completed',
    output: calls.map(({ id, name, to }) => ({
      type: 'function_call',
      call_id: id,
      name,
      arguments: JSON.stringify({ to }),
    })),
  }),
  'openai-agents': (calls) => ({
    output: calls.map(({ id, name, to }) => ({
      type: 'function_call',
      callId: id,
      name,
      status: 'completed',
      arguments: JSON.stringify({ to }),
    })),
  }),
  gemini: (calls) => ({
    role: 'model',
    parts: calls.map(({ id, name, to }, i) => ({
      functionCall: { id, name, args: { to } },
      ...(i === 0 ? { thoughtSignature: 'c2ln' } : {}),
    })),
  }),
  ollama: (calls) => ({
    role: 'assistant',
    content: '',
    tool_calls: calls.map(({ id, name, to }) => ({ id, function: { name, arguments: { to } } })),
  }),
  'ai-sdk': (calls) => ({
    role: 'assistant',
    content: calls.map(({ id, name, to }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input: { to } })),
  }),
  langchain: (calls) => ({
    role: 'assistant',
    content: '',
    tool_calls: calls.map(({ id, name, to }) => ({ id, name, args: { to }, type: 'tool_call' })),
  }),
};

const ann: Asked = { id: 'call', name: 'pay', to: 'Ann' };

describe.each(dialectNames)('%s', (name) => {
  const dialect = dialectNamed(name) as never as ReturnType<typeof dialectNamed<'openai-chat'>>;
  const prompt: never = (
    name === 'gemini' ? { role: 'user', parts: [{ text: 'Go.' }] } : { role: 'user', content: 'Go.' }
  ) as never;
  const answer = forms[name] as (calls: readonly Asked[]) => object;

  /** The loop of the guide, with this as its only reply that calls. */
  async function loop(...calls: readonly Asked[]) {
    const ran: string[] = [];
    const messages: never[] = [prompt];
    await new InterruptController().runTurn(async (turn) => {
      const reply = await turn.model(() => answer(calls));
      messages.push(...(messageWriter(dialect).reply(reply) as never[]));
      const outcomes = await turn.tools(dialect.calls(reply), (call) => {
        ran.push(`${call.name} ${(call.input as { to: string }).to}`);
        return `did ${call.name} ${(call.input as { to: string }).to}`;
      });
      messages.push(...(messageWriter(dialect).toolResults(outcomes) as never[]));
    });
    return { ran, messages };
  }

  it('S17 a call that came twice is run once, and the next request of the turn holds it once', async () => {
    const { ran, messages } = await loop(ann, { ...ann });
    expect(ran).toEqual(['pay Ann']);
    expect(checkTranscript(messages, { dialect })).toEqual([]);
    const settled = repair(messages, { dialect });
    expect(settled.changes).toEqual([]);
    expect(settled.messages).toEqual(messages);
  });

  it('S17 calls keep the order in which they came first', async () => {
    const { ran } = await loop(ann, { ...ann, id: 'b', to: 'Bob' }, { ...ann });
    expect([...ran].sort()).toEqual(['pay Ann', 'pay Bob']);
    expect(dialect.calls(answer([ann, { ...ann, id: 'b', to: 'Bob' }, ann])).map(({ id }) => id)).toEqual([
      'call',
      'b',
    ]);
  });

  it.each<[string, Asked]>([
    ['another tool', { ...ann, name: 'mail' }],
    ['other arguments', { ...ann, to: 'Bob' }],
  ])('S17 a call of the same id is run as well: %s', async (_what, other) => {
    const { ran, messages } = await loop(ann, other);
    expect(ran).toEqual(['pay Ann', `${other.name} ${other.to}`]);
    expect(checkTranscript(messages, { dialect })).toEqual([]);
    const settled = repair(messages, { dialect });
    expect(settled.changes).toEqual([]);
    expect(JSON.stringify(settled.messages)).not.toContain('not started');
    for (const one of ran) expect(JSON.stringify(settled.messages)).toContain(`did ${one}`);
  });
});

describe('two replies in a row that share an id, in Chat Completions', () => {
  const dialect = dialectNamed('openai-chat');
  const asks = (name: string) =>
    ({
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_0', type: 'function', function: { name, arguments: '{}' } }],
    }) as const;
  const result = (content: string) => ({ role: 'tool', tool_call_id: 'call_0', content }) as const;
  const told = (...messages: readonly OpenAIChatMessage[]): readonly unknown[] =>
    repair([{ role: 'user', content: 'Go.' }, ...messages], { dialect })
      .messages.slice(1)
      .map(
        (one) =>
          (one as { tool_calls?: readonly { function: { name: string } }[] }).tool_calls?.[0]?.function.name ??
          one.content,
      );

  it('their results are told in their order where there is one for each', () => {
    expect(told(asks('read'), asks('delete'), result('text'), result('deleted'))).toEqual([
      'read',
      'text',
      'delete',
      'deleted',
    ]);
    expect(told(asks('roll'), asks('roll'), result('3'), result('5'))).toEqual(['roll', '3', 'roll', '5']);
  });

  it('two results that are the same are one, told twice', () => {
    const twice = told(asks('read'), asks('delete'), result('deleted'), result('deleted'));
    expect(twice.slice(-2)).toEqual(['delete', 'deleted']);
    expect(twice.filter((one) => one === 'deleted')).toHaveLength(1);
  });

  it('a single result is that of the last', () => {
    expect(told(asks('read'), asks('delete'), result('deleted')).slice(-2)).toEqual(['delete', 'deleted']);
  });
});
