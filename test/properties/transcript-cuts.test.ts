import { describe, expect, it } from 'vitest';

import { foldAnthropic, foldGemini, foldOpenAIChat, foldOpenAIResponses } from '../../src/adapters/llm/index.ts';
import type { StreamFold } from '../../src/adapters/llm/folds/fold.ts';
import { createReason } from '../../src/core/foundation/reason.ts';
import { anthropicWire } from '../../src/testing/model-server/wires/anthropic-wire.ts';
import { geminiWire } from '../../src/testing/model-server/wires/gemini-wire.ts';
import { openaiChatWire } from '../../src/testing/model-server/wires/openai-chat-wire.ts';
import { createResponsesWire } from '../../src/testing/model-server/wires/openai-responses-wire.ts';
import { planAnswer, type Wire } from '../../src/testing/model-server/wires/wire.ts';
import { settleAndVerify, type AnyDialect } from '../transcript/support/arbitraries.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import { gemini } from '../../src/transcript/dialects/gemini/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';
import { messageWriter } from '../../src/transcript/index.ts';

const answer = {
  thinking: 'I should look first.',
  text: 'Let me look at both.',
  toolCalls: [
    { name: 'read', input: { path: 'a.txt' } },
    { name: 'list', input: {} },
  ],
  chunks: 4,
};

/** The events of a stream, as a client parses them. */
function eventsOf(wire: Wire): readonly object[] {
  const plan = planAnswer(answer, wire, 1, 'm', 0);
  return [...wire.stream(plan, { model: 'm', input: 'Go.' })]
    .map(({ text }) => /^data: (.*)$/m.exec(text)?.[1] ?? '')
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data) as object);
}

interface Case {
  readonly dialect: AnyDialect<never>;
  readonly wire: Wire;
  readonly fold: () => StreamFold<never, { readonly text: string; readonly calls: readonly unknown[] }>;
  readonly prompt: object;
}

const cases: readonly Case[] = [
  { dialect: anthropic, wire: anthropicWire, fold: foldAnthropic, prompt: { role: 'user', content: 'Go.' } },
  { dialect: openaiChat, wire: openaiChatWire, fold: foldOpenAIChat, prompt: { role: 'user', content: 'Go.' } },
  {
    dialect: openaiResponses,
    wire: createResponsesWire(),
    fold: foldOpenAIResponses,
    prompt: { role: 'user', content: 'Go.' },
  },
  { dialect: gemini, wire: geminiWire, fold: foldGemini, prompt: { role: 'user', parts: [{ text: 'Go.' }] } },
];

describe.each(cases)('S18 a stream cut at every event: $dialect.name', ({ dialect, wire, fold, prompt }) => {
  const events = eventsOf(wire);

  it.each(Array.from({ length: events.length + 1 }, (_, count) => count))(
    'S18 a stream that is cut after %i events leaves a reply that can be sent',
    (count) => {
      const state = fold();
      for (const event of events.slice(0, count)) state.add(event as never);
      const { value } = state;
      const reason = createReason({ kind: 'user', at: 1 });
      const said = messageWriter(dialect).reply({ status: 'interjected', partial: value, reason });
      const settled = settleAndVerify(dialect, [prompt as never, ...said], {});
      expect(settled).toEqual([prompt, ...said]);
      const json = JSON.stringify(settled);
      // Nothing that was streamed is lost, and a call that was whole has its answer.
      expect(json).toContain(JSON.stringify(value.text.trimEnd()).slice(1, -1));
      expect(json.split('not started').length - 1).toBe(value.calls.length);
      expect(json.includes('cut off before its end')).toBe(settled.length > 1 && value.calls.length === 0);
    },
  );
});
