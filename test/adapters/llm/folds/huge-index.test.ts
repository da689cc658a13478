/** A server names the places of its pieces; whatever it names, a fold holds only what came. */
import { describe, expect, it } from 'vitest';
import { foldAnthropic, foldOpenAIChat, foldOpenAIResponses } from '../../../../src/adapters/llm/index.ts';

const places = [0, 3, 1e6, 4e9, Number.MAX_SAFE_INTEGER, -7, 0.5];

describe.each(places)('a piece at place %d', (index) => {
  it('of Chat Completions is one call', () => {
    const fold = foldOpenAIChat();
    const call = { index, id: 'a', function: { name: 'n', arguments: '{}' } };
    fold.add({ choices: [{ delta: { tool_calls: [call] } }] });
    fold.add({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] });
    expect(fold.value.calls.map(({ id }) => id)).toEqual(['a']);
  });

  it('of the Messages API is one block', () => {
    const fold = foldAnthropic();
    const add = (event: object): void => {
      fold.add(event as { type: string });
    };
    add({ type: 'content_block_start', index, content_block: { type: 'text', text: '' } });
    add({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: 'x' } });
    expect(fold.value.message.content).toEqual([{ type: 'text', text: 'x' }]);
  });

  it('of the Responses API is one item with one part', () => {
    const fold = foldOpenAIResponses();
    const add = (event: object): void => {
      fold.add(event as { type: string });
    };
    const item = { type: 'message', role: 'assistant', content: [] };
    add({ type: 'response.output_item.added', output_index: index, item });
    add({ type: 'response.output_text.delta', output_index: index, content_index: index, delta: 'x' });
    expect([fold.value.text, fold.value.message.length]).toEqual(['x', 1]);
  });
});

it('calls keep the order of their places, in whatever order they come', () => {
  const fold = foldOpenAIChat();
  for (const [index, id] of [
    [4e9, 'c'],
    [0, 'a'],
    [7, 'b'],
  ] as const) {
    fold.add({ choices: [{ delta: { tool_calls: [{ index, id, function: { name: 'n', arguments: '{}' } }] } }] });
  }
  fold.add({ choices: [{ delta: {}, finish_reason: 'tool_calls' }] });
  expect(fold.value.calls.map(({ id }) => id)).toEqual(['a', 'b', 'c']);
});
