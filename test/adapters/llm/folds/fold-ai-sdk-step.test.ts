import { describe, expect, it } from 'vitest';

import { Step } from '../../../../src/adapters/llm/folds/fold-ai-sdk-step.ts';

type Part = Readonly<Record<string, unknown>> & { readonly type: string };

function step(parts: readonly Part[], isFinished = false) {
  const state = new Step();
  for (const { type, ...fields } of parts) state.add(type, fields);
  if (isFinished) state.finish({});
  const { text, fragments, ...lists } = state.now();
  const message = lists.message();
  return { message, messages: lists.messages(message), calls: lists.calls(), fragments, text };
}
const stored = { openai: { itemId: 'x' } };
const sealed = { openai: { itemId: 'x', reasoningEncryptedContent: 'sealed' } };

describe('reasoning', () => {
  const start: Part = { type: 'reasoning-start', id: '0' };
  const delta: Part = { type: 'reasoning-delta', id: '0', text: 'Hm' };

  it('S18 goes if it was cut before its end, and keeps its seal if it was not', () => {
    expect(step([start, delta]).message.content).toEqual([]);
    const end: Part = { type: 'reasoning-end', id: '0', providerMetadata: { anthropic: { signature: 's' } } };
    expect(step([start, delta, end]).message.content).toEqual([
      { type: 'reasoning', text: 'Hm', providerOptions: { anthropic: { signature: 's' } } },
    ]);
  });

  it('does not name an item that the provider stores only at the end', () => {
    const end: Part = { type: 'reasoning-end', id: '0', providerMetadata: sealed };
    const seal = { openai: { reasoningEncryptedContent: 'sealed' } };
    expect(step([start, delta, end]).message.content).toEqual([
      { type: 'reasoning', text: 'Hm', providerOptions: seal },
    ]);
    expect(step([start, delta, end], true).message.content).toMatchObject([{ providerOptions: sealed }]);
  });
});

it('drops blank texts, but not one that holds what a finished step needs', () => {
  const blank: Part[] = [{ type: 'text-start', id: '0', providerMetadata: stored }];
  expect(step(blank).message.content).toEqual([]);
  expect(step(blank, true).message.content).toEqual([{ type: 'text', text: '', providerOptions: stored }]);
  expect(
    step(
      [
        { type: 'text-start', id: '0' },
        { type: 'text-delta', id: '9', text: 'x' },
      ],
      true,
    ).messages,
  ).toEqual([]);
});

it('puts the provider’s results into the reply and ours behind it', () => {
  const server = { toolCallId: 's', toolName: 'search', providerExecuted: true };
  const own = { toolCallId: 'a', toolName: 'read' };
  const { message, messages, calls } = step([
    { type: 'tool-call', ...server, input: {}, providerMetadata: stored },
    { type: 'tool-call', ...own, input: '{"pa', invalid: true },
    { type: 'tool-result', ...server, output: { hits: 2 } },
    { type: 'tool-result', ...own, output: 'half', preliminary: true },
    { type: 'tool-error', ...own, error: new Error('bad JSON') },
    { type: 'tool-approval-request', approvalId: 'q', toolCall: own },
  ]);
  expect(message.content).toEqual([
    { type: 'tool-call', ...server, input: {} },
    { type: 'tool-call', ...own, input: {} },
    { type: 'tool-result', toolCallId: 's', toolName: 'search', output: { type: 'json', value: { hits: 2 } } },
    { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'a' },
  ]);
  expect(calls.map((call) => call.toolCallId)).toEqual(['a']);
  expect(messages[1]).toEqual({
    role: 'tool',
    content: [{ type: 'tool-result', ...own, output: { type: 'error-text', value: 'bad JSON' } }],
  });
});

it('keeps what was said last for the provider, also where the end says nothing', () => {
  const early: Part[] = [
    { type: 'reasoning-start', id: '0', providerMetadata: { x: { seal: 1 } } },
    { type: 'reasoning-delta', id: '0', text: 'Hm', providerMetadata: { x: { seal: 2 } } },
    { type: 'reasoning-end', id: '0' },
  ];
  expect(step(early).message.content).toEqual([{ type: 'reasoning', text: 'Hm', providerOptions: { x: { seal: 2 } } }]);
});

it.each([
  [{ input: { path: 1 }, invalid: true }, { path: 1 }],
  [{ input: null, invalid: true }, {}],
  [{ input: '{"pa', invalid: true }, {}],
  [{ input: 'a text' }, 'a text'],
])('reads the input of %j', (given, input) => {
  const call = { type: 'tool-call', toolCallId: 'a', toolName: 'read' };
  expect(step([{ ...call, ...given }]).message.content).toEqual([{ ...call, input }]);
});

it('has a value for a tool that gave none', () => {
  const { messages } = step([{ type: 'tool-result', toolCallId: 'a', toolName: 'read', output: undefined }]);
  expect(messages[0]?.content).toMatchObject([{ output: { type: 'json', value: null } }]);
});

it('keeps files and what only a provider knows', () => {
  const file = { mediaType: 'image/png', base64: 'AA==' };
  expect(
    step([{ type: 'file', file }, { type: 'custom', kind: 'x.y' }, { type: 'source', url: 'x' }, { type: 'raw' }])
      .message.content,
  ).toEqual([
    { type: 'file', mediaType: 'image/png', data: 'AA==' },
    { type: 'custom', kind: 'x.y' },
  ]);
});
