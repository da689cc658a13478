/** Whatever a server, or a proxy before it, puts in place of a piece: what is no event is named, and no fold breaks of the rest. */
import { describe, expect, it } from 'vitest';
import * as llm from '../../../../src/adapters/llm/index.ts';

interface Case {
  readonly make: () => { add(event: never): void; readonly value: { readonly text: string } };
  readonly events: readonly object[];
}

const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'x' }] };

const cases: Readonly<Record<string, Case>> = {
  foldAnthropic: {
    make: llm.foldAnthropic,
    events: [
      { type: 'message_start', message: { usage: { input_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'x' } },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'a', name: 'n', input: {} } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{}' } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 1 } },
    ],
  },
  foldOpenAIChat: {
    make: llm.foldOpenAIChat,
    events: [
      {
        choices: [
          {
            index: 0,
            delta: { content: 'x', tool_calls: [{ index: 0, id: 'a', function: { name: 'n', arguments: '{}' } }] },
            finish_reason: 'stop',
          },
        ],
        usage: { completion_tokens: 1 },
      },
    ],
  },
  foldOpenAIResponses: {
    make: llm.foldOpenAIResponses,
    events: [
      { type: 'response.created', response: { id: 'r' } },
      { type: 'response.output_item.added', output_index: 0, item: { ...message, content: [] } },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'x' },
      { type: 'response.output_item.done', output_index: 0, item: message },
      { type: 'response.completed', response: { id: 'r', incomplete_details: { reason: 'x' }, usage: {} } },
    ],
  },
  foldGemini: {
    make: llm.foldGemini,
    events: [
      {
        candidates: [
          {
            index: 0,
            content: { parts: [{ text: 'x' }, { functionCall: { name: 'n', args: {} } }] },
            finishReason: 'STOP',
          },
        ],
        usageMetadata: { candidatesTokenCount: 1 },
      },
    ],
  },
  foldOllama: {
    make: llm.foldOllama,
    events: [
      {
        message: { content: 'x', thinking: 'y', tool_calls: [{ function: { name: 'n', arguments: {} } }] },
        done: true,
        eval_count: 1,
      },
    ],
  },
  foldAISDK: {
    make: llm.foldAISDK,
    events: [
      { type: 'start-step' },
      { type: 'text-start', id: '0' },
      { type: 'text-delta', id: '0', text: 'x' },
      { type: 'text-end', id: '0' },
      { type: 'tool-input-start', id: 'a', toolName: 'n' },
      { type: 'tool-input-delta', id: 'a', delta: '{' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'n', input: {} },
      { type: 'finish-step', usage: { outputTokens: 1 }, finishReason: 'stop' },
      { type: 'finish', totalUsage: {}, finishReason: 'stop' },
    ],
  },
};

/** The value with something else in each of its places in turn, itself excepted. */
function* spoilt(value: unknown): Generator {
  if (typeof value !== 'object' || value === null) return;
  const copyWith = (key: string, other: unknown): unknown =>
    Array.isArray(value)
      ? (value as unknown[]).map((each, at) => (String(at) === key ? other : each))
      : { ...value, [key]: other };
  for (const [key, inner] of Object.entries(value)) {
    for (const other of [null, undefined, 5, 'y', [], {}]) yield copyWith(key, other);
    for (const other of spoilt(inner)) yield copyWith(key, other);
  }
}

describe.each(Object.entries(cases))('%s', (_name, { make, events }) => {
  it.each([null, undefined, 5, 'data: {}'])('names %j where an event should be', (event) => {
    expect(() => {
      make().add(event as never);
    }).toThrow(
      new TypeError(
        `an event of the stream must be an object, got ${typeof event === 'string' ? JSON.stringify(event) : String(event)}`,
      ),
    );
  });

  it('takes an event with anything in any of its places, and has text for a value', () => {
    const texts = new Set<string>();
    for (const [at, event] of events.entries()) {
      for (const bad of spoilt(event)) {
        const fold = make();
        for (const [index, each] of events.entries()) {
          fold.add((index === at ? bad : each) as never);
          texts.add(fold.value.text);
        }
      }
    }
    expect(texts).toContain('x');
    expect([...texts].filter((text) => !/^[xy{}]*$/.test(text))).toEqual([]);
  });
});
