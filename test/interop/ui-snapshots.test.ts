/**
 * A chat of the AI SDK that holds an older snapshot of a message, and the newer one that its stream had come to.
 */
import type { UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';

import { foldAISDK } from '../../src/adapters/llm/index.ts';
import { createReason } from '../../src/core/foundation/reason.ts';
import { checkTranscript, settleTranscript } from '../../src/transcript/index.ts';
import { aiSDK } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { majors } from './majors.ts';

type AI = typeof import('ai');

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: major.name,
    ai: await major.load<AI>('ai'),
    test: await major.load<object>('ai/test'),
  })),
);

const reason = createReason({ kind: 'user', at: 1 });
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};
const finish = (unified: string) => ({ type: 'finish', finishReason: { unified, raw: unified }, usage });
const texts = (id: string, ...deltas: string[]) => [
  { type: 'text-start', id },
  ...deltas.map((delta) => ({ type: 'text-delta', id, delta })),
  { type: 'text-end', id },
];
const start = { type: 'stream-start', warnings: [] };
const calling = (toolCallId: string) => ({ type: 'tool-call', toolCallId, toolName: 'read', input: '{"x":1}' });
const rounds = [
  [start, ...texts('t', 'I ', 'read'), calling('a'), finish('tool-calls')],
  [start, calling('b'), calling('c'), finish('tool-calls')],
  [start, ...texts('u', 'All ', 'read.'), finish('stop')],
];

/** What messages say: a step that has just begun says nothing. */
const said = (messages: readonly object[]) =>
  (messages as readonly UIMessage[]).map(({ parts, ...message }) => {
    const last = parts.findLastIndex(({ type }) => type !== 'step-start');
    return { ...message, parts: parts.slice(0, last + 1) };
  });

describe.each(loaded)('$name', ({ ai, test }) => {
  type Run = { fullStream: AsyncIterable<{ type: string }>; toUIMessageStream(options: object): ReadableStream };

  function run(): Run {
    const Mock = Object.entries(test).find(([name]) => /^MockLanguageModelV\d$/.test(name))?.[1] as new (
      settings: object,
    ) => never;
    let round = 0;
    const model = new Mock({
      doStream: () => {
        const chunks = rounds[round] ?? [];
        round += 1;
        return Promise.resolve({ stream: ai.simulateReadableStream({ chunks }) });
      },
    });
    const inputSchema = ai.jsonSchema({ type: 'object' });
    const tools = { read: ai.tool({ inputSchema, execute: () => ({ lines: 2 }) }) };
    const settings = { model, tools, prompt: 'Read.', stopWhen: ai.stepCountIs(3) };
    return ai.streamText(settings);
  }

  const hello: UIMessage = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Read.' }] };

  it('the newer of two snapshots is told, whichever of them the chat holds', async () => {
    const snapshots: UIMessage[] = [];
    const stream = run().toUIMessageStream({ generateMessageId: () => 'm' });
    for await (const one of ai.readUIMessageStream({ stream })) snapshots.push(structuredClone(one));
    expect(snapshots.length).toBeGreaterThan(10);

    snapshots.forEach((newer, at) => {
      const partials = [{ modelCall: 1, value: newer, reason }];
      const turn = { dialect: aiSDK, partials, reason };
      const wanted = said(settleTranscript([hello, newer], turn).messages);
      snapshots.slice(0, at).forEach((older, before) => {
        const where = `${String(before)} then ${String(at)}`;
        const { messages } = settleTranscript([hello, older], turn);
        expect(said(messages), where).toEqual(wanted);
        expect(checkTranscript(messages, { dialect: aiSDK })).toEqual([]);
        expect(settleTranscript(messages, turn).changes, where).toEqual([]);
        const late = { ...turn, partials: [{ modelCall: 1, value: older, reason }] };
        const kept = settleTranscript([hello, newer], late).messages;
        expect(kept, where).toEqual(settleTranscript([hello, newer], { dialect: aiSDK, reason }).messages);
      });
    });
  });

  it('the fold of a run is the message that the SDK makes of it', async () => {
    const parts: { type: string }[] = [];
    for await (const part of run().fullStream) parts.push(part);
    const [fold, snapshots] = [foldAISDK(), [] as UIMessage[]];
    for (const part of parts) fold.add(part);
    const stream = run().toUIMessageStream({ generateMessageId: () => 'm' });
    for await (const one of ai.readUIMessageStream({ stream }))
      snapshots.push(JSON.parse(JSON.stringify(one)) as UIMessage);

    const partials = [{ modelCall: 1, value: fold.value, reason }];
    const { messages } = settleTranscript([hello], { dialect: aiSDK, partials, reason });
    expect(messages).toMatchObject([hello, { role: 'assistant', parts: snapshots.at(-1)?.parts }]);
    const held = [hello, ...snapshots.slice(-1)];
    expect(settleTranscript(held, { dialect: aiSDK, partials, reason })).toEqual({ messages: held, changes: [] });
  });
});
