/**
 * A reply of a raw stream that thinks between its calls, cut after each of its events: what is settled of it can be sent
 * with thinking on, also before anybody has said anything more.
 */
import { expect, it } from 'vitest';
import { foldAnthropic, foldGemini, foldOpenAIResponses } from '../../../../src/adapters/llm/index.ts';
import { createReason } from '../../../../src/core/foundation/reason.ts';
import { anthropic } from '../../../../src/transcript/dialects/anthropic/index.ts';
import { gemini } from '../../../../src/transcript/dialects/gemini/index.ts';
import { openaiResponses } from '../../../../src/transcript/dialects/openai-responses/index.ts';
import { repair, messageWriter } from '../../../../src/transcript/index.ts';
import { anthropicWire } from '../../../../src/testing/model-server/wires/anthropic-wire.ts';
import { geminiWire } from '../../../../src/testing/model-server/wires/gemini-wire.ts';
import { createResponsesWire } from '../../../../src/testing/model-server/wires/openai-responses-wire.ts';
import { planAnswer, type Wire } from '../../../../src/testing/model-server/wires/wire.ts';

const reason = createReason({ kind: 'user', at: 0 });

const providers = [
  {
    name: 'anthropic',
    wire: anthropicWire,
    fold: foldAnthropic,
    dialect: anthropic,
    prompt: { role: 'user', content: 'Go.' },
    body: (messages: unknown) => ({ max_tokens: 2048, thinking: { type: 'enabled', budget_tokens: 1024 }, messages }),
    shape: /"thinking".*"tool_use".*"thinking".*"tool_use"/,
  },
  {
    name: 'gemini',
    wire: geminiWire,
    fold: foldGemini,
    dialect: gemini,
    prompt: { role: 'user', parts: [{ text: 'Go.' }] },
    body: (contents: unknown) => ({ contents }),
    shape: /"thoughtSignature"/,
  },
  {
    name: 'responses',
    wire: createResponsesWire(),
    fold: foldOpenAIResponses,
    dialect: openaiResponses,
    prompt: { role: 'user', content: 'Go.' },
    body: (input: unknown) => ({ store: false, input }),
    shape: /"reasoning".*"function_call".*"reasoning".*"function_call"/,
  },
] as const;

const parts = [
  { thinking: 'First this' },
  { text: 'Paying now.' },
  { toolCall: { name: 'pay', input: { amount: 1 } } },
  { thinking: 'Then that' },
  { toolCall: { name: 'look', input: { path: 'a' } } },
];

function eventsOf(wire: Wire): object[] {
  const plan = planAnswer({ parts }, wire, 1, 'gemini-3-pro', 0);
  const include = ['reasoning.encrypted_content'];
  return [...wire.stream(plan, { store: false, include })].flatMap(({ text }) => {
    const data = /^data: (.*)$/m.exec(text)?.[1];
    return data === undefined ? [] : [JSON.parse(data) as object];
  });
}

it.each(providers)('S41 cut after any event of $name, calls go back with what was thought', (provider) => {
  const { wire, dialect, prompt, body, shape } = provider;
  const events = eventsOf(wire);
  let last = '';
  for (let cut = 1; cut <= events.length; cut += 1) {
    const fold = provider.fold() as { add(event: object): void; readonly value: unknown };
    for (const event of events.slice(0, cut)) fold.add(event);
    const said = messageWriter(dialect as typeof anthropic).reply({
      status: 'interjected',
      partial: fold.value,
      reason,
    });
    const { messages } = repair([prompt, ...said] as never[], { dialect: dialect as never });
    expect(messages).toEqual([prompt, ...said]);
    last = JSON.stringify(messages);
    const request = { model: 'gemini-3-pro', ...body(messages) };
    for (const more of [messages, [...messages, prompt]]) {
      const refused = wire.refuse({ ...request, ...body(more) }, 'gemini-3-pro');
      expect(refused, `after ${String(cut)} events: ${last}`).toBeUndefined();
    }
  }
  expect(last).toMatch(shape);
});
