/** A fold that is asked after every event says what one says that is asked once, in time that does not grow with the reply. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  foldAISDK,
  foldAnthropic,
  foldGemini,
  foldOllama,
  foldOpenAIChat,
  foldOpenAIResponses,
} from '../../../../src/adapters/llm/index.ts';

type Fold = () => { add(event: never): void; readonly value: object };

/** The events of one piece of a reply: `at` is its place, `of` says which of them. */
interface Pieces {
  readonly make: Fold;
  readonly events: readonly ((at: number) => object)[];
  readonly end: object;
}

const call = (id: number) => ({ type: 'function_call', call_id: `c${String(id)}`, name: 'r', arguments: '{"a":1}' });
const chat = (delta: object): object => ({ choices: [{ delta }] });

const providers: Record<string, Pieces> = {
  anthropic: {
    make: foldAnthropic,
    events: [
      (index) => ({
        type: 'content_block_start',
        index,
        content_block: { type: 'tool_use', id: `c${String(index)}`, name: 'r', input: {} },
      }),
      (index) => ({
        type: 'content_block_delta',
        index,
        delta: { type: 'input_json_delta', partial_json: '{"a":1}' },
      }),
      (index) => ({ type: 'content_block_stop', index }),
      (index) => ({ type: 'content_block_start', index, content_block: { type: 'text', text: 'x' } }),
    ],
    end: { type: 'message_stop' },
  },
  'openai-chat': {
    make: foldOpenAIChat,
    events: [
      (index) => chat({ tool_calls: [{ index, id: `c${String(index)}`, function: { name: 'r', arguments: '{"a"' } }] }),
      (index) => chat({ tool_calls: [{ index, function: { arguments: ':1}' } }] }),
      (index) => chat({ tool_calls: [{ index, id: `c${String(index)}`, custom: { name: 'r', input: 'x' } }] }),
      () => chat({ content: 'x', reasoning_details: [{ type: 'text', text: 'y' }] }),
    ],
    end: { choices: [{ delta: {}, finish_reason: 'stop' }] },
  },
  'openai-responses': {
    make: foldOpenAIResponses,
    events: [
      (index) => ({ type: 'response.output_item.added', output_index: index, item: { ...call(index), arguments: '' } }),
      (index) => ({ type: 'response.function_call_arguments.delta', output_index: index, delta: '{' }),
      (index) => ({ type: 'response.output_item.done', output_index: index, item: call(index) }),
      (index) => ({ type: 'response.output_item.done', output_index: index, item: { type: 'reasoning', id: 'rs' } }),
      (index) => ({ type: 'response.output_item.added', output_index: index, item: { type: 'message', content: [] } }),
      (index) => ({ type: 'response.output_text.delta', output_index: index, content_index: index % 3, delta: 'x' }),
      (index) => ({
        type: 'response.output_text.annotation.added',
        output_index: index,
        content_index: index % 3,
        annotation: { type: 'x' },
      }),
      (index) => ({
        type: 'response.output_item.done',
        output_index: index + 1,
        item: { type: 'function_call_output', call_id: `c${String(index)}`, output: '' },
      }),
    ],
    end: { type: 'response.completed', response: { id: 'r' } },
  },
  gemini: {
    make: foldGemini,
    events: [
      () => ({ candidates: [{ content: { parts: [{ text: 'x' }] } }] }),
      (at) => ({ candidates: [{ content: { parts: [{ functionCall: { name: 'r', args: { at } } }] } }] }),
      (at) => ({
        candidates: [
          { content: { parts: [{ functionCall: { name: `r${String(at % 2)}`, willContinue: at % 3 > 0 } }] } },
        ],
      }),
    ],
    end: { candidates: [{ finishReason: 'STOP' }] },
  },
  ollama: {
    make: foldOllama,
    events: [
      () => ({ message: { content: 'x' } }),
      (at) => ({ message: { content: '', tool_calls: [{ function: { name: 'r', arguments: { at } } }] } }),
    ],
    end: { done: true },
  },
  'ai-sdk': {
    make: foldAISDK,
    events: [
      (at) => ({ type: 'text-start', id: String(at) }),
      (at) => ({ type: 'text-delta', id: String(at), text: 'x' }),
      (at) => ({ type: 'text-end', id: String(at) }),
      (at) => ({ type: 'tool-input-start', id: String(at), toolName: 'r' }),
      (at) => ({ type: 'tool-call', toolCallId: String(at), toolName: 'r', input: {} }),
      (at) => ({ type: 'tool-result', toolCallId: String(at), toolName: 'r', input: {}, output: 'x' }),
      () => ({ type: 'start-step' }),
      () => ({ type: 'finish-step', usage: { inputTokens: 1, outputTokens: 2 }, finishReason: 'stop' }),
    ],
    end: { type: 'finish', finishReason: 'stop' },
  },
};

describe.each(Object.entries(providers))('%s', (_name, { make, events, end }) => {
  const sequence = fc.array(fc.record({ of: fc.nat(events.length - 1), at: fc.nat(6) }), {
    minLength: 1,
    maxLength: 40,
  });
  const repeat = fc.constantFrom(1, 1, 1, 60);

  it('values are those of a fold that is asked once, and stay so', () => {
    fc.assert(
      fc.property(sequence, repeat, (choices, times) => {
        const all = Array.from({ length: times }, () => choices.map(({ of, at }) => events[of]?.(at) as never)).flat();
        const fold = make();
        const told = [...all, end as never].map((event) => {
          fold.add(event);
          return fold.value;
        });
        for (const count of new Set([1, Math.ceil(all.length / 2), all.length, all.length + 1])) {
          const fresh = make();
          for (const event of [...all, end as never].slice(0, count)) fresh.add(event);
          expect(JSON.stringify(told[count - 1])).toBe(JSON.stringify(fresh.value));
        }
      }),
      { numRuns: 60 },
    );
  });

  it('a value costs as much behind thousands of pieces as behind a few', () => {
    const leastOf = (pieces: number): number => {
      const fold = make();
      for (let at = 0; at < pieces; at += 1) for (const event of events) fold.add(event(at) as never);
      let least = Infinity;
      let kept: unknown;
      for (let at = pieces; at < pieces + 40; at += 1) {
        for (const event of events) {
          fold.add(event(at) as never);
          const began = performance.now();
          kept = fold.value;
          least = Math.min(least, performance.now() - began);
        }
      }
      expect(kept).toBeDefined();
      return least;
    };
    leastOf(50);
    expect(leastOf(4000) / leastOf(50)).toBeLessThan(10);
  });
});
