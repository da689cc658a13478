/** A stream that was closed cleanly before the reply had ended: nothing of it runs, and the model is told that it was cut. */
import { describe, expect, it } from 'vitest';
import {
  foldAnthropic,
  foldGemini,
  foldOllama,
  foldOpenAIChat,
  foldOpenAIResponses,
} from '../../src/adapters/llm/index.ts';
import { dialectNamed, type DialectName, messageWriter } from '../../src/transcript/index.ts';

const item = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'stop',
  arguments: '{}',
  status: 'completed',
};
const opened = {
  type: 'message_start',
  message: { id: 'm', type: 'message', role: 'assistant', content: [], model: 'x', stop_reason: null },
};
const added = {
  type: 'response.output_item.added',
  output_index: 0,
  item: { ...item, arguments: '', status: 'in_progress' },
};
const done = { type: 'response.output_item.done', output_index: 0, item };

const calling = {
  anthropic: [
    foldAnthropic,
    [
      opened,
      { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'stop', input: {} } },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{}' } },
      { type: 'content_block_stop', index: 0 },
    ],
  ],
  'openai-responses': [foldOpenAIResponses, [added, done]],
  gemini: [
    foldGemini,
    [{ candidates: [{ content: { role: 'model', parts: [{ functionCall: { name: 'stop', args: {} } }] } }] }],
  ],
  ollama: [
    foldOllama,
    [
      {
        message: { role: 'assistant', content: '', tool_calls: [{ function: { name: 'stop', arguments: {} } }] },
        done: false,
      },
    ],
  ],
} as const;

const speaking = {
  anthropic: [
    foldAnthropic,
    [
      opened,
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Delete all but' } },
    ],
  ],
  'openai-chat': [
    foldOpenAIChat,
    [{ choices: [{ index: 0, delta: { role: 'assistant', content: 'Delete all but' }, finish_reason: null }] }],
  ],
} as const;

function folded([fold, events]: readonly [unknown, readonly unknown[]]): unknown {
  const made = (fold as () => { add(event: unknown): void; readonly value: unknown })();
  for (const event of events) made.add(event);
  return made.value;
}

describe('a fold whose reply has not ended', () => {
  it.each(Object.entries(calling))('%s: its calls do not run, and are answered so', (name, stream) => {
    const dialect = dialectNamed(name as DialectName);
    for (const value of [folded(stream), { status: 'completed', value: folded(stream), delivered: [] }]) {
      expect(dialect.calls(value)).toEqual([]);
      expect(JSON.stringify(messageWriter(dialect as never).reply(value))).toContain('This call was not started');
    }
  });

  it.each(Object.entries(speaking))('%s: its text has the mark of a cut', (name, stream) => {
    expect(JSON.stringify(messageWriter(dialectNamed(name as DialectName) as never).reply(folded(stream)))).toContain(
      'cut off before its end',
    );
  });
});
