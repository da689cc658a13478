/**
 * The AI SDK's own validators as the judge of `ai-sdk` transcripts: what it refuses before settling, it takes after.
 */
import type { ModelMessage, UIMessage } from 'ai';
import fc from 'fast-check';
import { afterAll, describe, expect, it, vi } from 'vitest';

import { foldAISDK } from '../../src/adapters/llm/index.ts';
import { createReason } from '../../src/core/foundation/reason.ts';
import { checkTranscript, Conversation, messageWriter } from '../../src/transcript/index.ts';
import { repairWith } from '../transcript/support/repair-with.ts';
import { settleInTurn } from '../transcript/support/settle-in-turn.ts';
import { majors } from './majors.ts';
import { aiSDK, aiSDKUI } from '../../src/transcript/dialects/ai-sdk/index.ts';

type AI = typeof import('ai');

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: major.name,
    ai: await major.load<AI>('ai'),
    test: await major.load<object>('ai/test'),
  })),
);

const dialect = aiSDK;
const reason = createReason({ kind: 'user', at: 1 });
const call = (toolCallId: string, more: object = {}) => ({
  type: 'tool-call',
  toolCallId,
  toolName: 'read',
  input: {},
  ...more,
});
const result = (toolCallId: string) => ({
  type: 'tool-result',
  toolCallId,
  toolName: 'read',
  output: { type: 'text', value: `${toolCallId} done` },
});
const ask = (toolCallId: string) => ({ type: 'tool-approval-request', approvalId: `q-${toolCallId}`, toolCallId });
const decide = (toolCallId: string, approved: boolean) => ({
  type: 'tool-approval-response',
  approvalId: `q-${toolCallId}`,
  approved,
});
const say = (role: string, ...content: object[]) => ({ role, content }) as ModelMessage;
const hello: ModelMessage = { role: 'user', content: 'Hello' };

const part = (toolCallId: string, state: string, more: object = {}) => ({
  type: 'tool-read',
  toolCallId,
  state,
  input: {},
  ...more,
});
const ui = (id: string, role: string, ...parts: object[]) => ({ id, role, parts }) as UIMessage;
const text = { type: 'text', text: 'Hello' };

// The previous major warns of every system message.
const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
afterAll(() => {
  warn.mockRestore();
});

describe.each(loaded)('ai, $name', ({ ai, test }) => {
  const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
  const mocks: Readonly<Record<string, unknown>> = { ...test };
  const Mock = (mocks['MockLanguageModelV4'] ?? mocks['MockLanguageModelV3']) as new (options: object) => never;
  const model = new Mock({
    doGenerate: () =>
      Promise.resolve({
        content: [{ type: 'text', text: 'ok' }],
        finishReason: { unified: 'stop' },
        usage,
        warnings: [],
      }),
  });
  const tools = {
    read: ai.tool({ inputSchema: ai.jsonSchema({ type: 'object' }), execute: () => Promise.resolve('read') }),
  };
  const send = async (messages: readonly ModelMessage[]): Promise<string> => {
    const options = { model, tools, messages: [...messages], maxRetries: 0, allowSystemInMessages: true };
    try {
      return (await ai.generateText(options)).text;
    } catch (error) {
      return (error as Error).name;
    }
  };

  const histories: [string, ModelMessage[]][] = [
    ['a batch that was cut', [hello, say('assistant', call('a'), call('b')), say('tool', result('a'))]],
    ['a prompt after it', [hello, say('assistant', call('a')), hello]],
    ['results after the prompt', [hello, say('assistant', call('a')), hello, say('tool', result('a'))]],
    ['an open question', [hello, say('assistant', call('a'), ask('a'))]],
    ['a yes that came too late', [hello, say('assistant', call('a'), ask('a')), say('tool', decide('a', true)), hello]],
    ['a no that came too late', [hello, say('assistant', call('a'), ask('a')), say('tool', decide('a', false)), hello]],
    [
      'a decision that is not in the last message',
      [
        hello,
        say('assistant', call('a'), ask('a'), call('b')),
        say('tool', decide('a', true)),
        say('tool', result('b')),
      ],
    ],
  ];

  it.each(histories)('S17 %s: MissingToolResultsError before, none after', async (_what, messages) => {
    expect(await send(messages)).toBe('AI_MissingToolResultsError');
    expect(checkTranscript(messages, { dialect })).not.toEqual([]);
    for (const settled of [
      settleInTurn(dialect, messages).messages as ModelMessage[],
      repairWith(messages, { dialect }).messages,
    ]) {
      expect(await send(settled)).toBe('ok');
      expect(checkTranscript(settled, { dialect })).toEqual([]);
    }
    const stopped = repairWith(messages, { dialect }).messages;
    expect(await send([...stopped, hello]), 'and the next prompt').toBe('ok');
  });

  it('takes what a decision about nothing would break', async () => {
    const messages = [hello, say('assistant', { type: 'text', text: 'x' }), say('tool', decide('a', true))];
    expect(await send(messages)).toBe('AI_InvalidToolApprovalError');
    expect(await send(repairWith(messages, { dialect }).messages)).toBe('ok');
  });

  it('leaves a decision that the SDK is about to carry out', async () => {
    const messages = [hello, say('assistant', call('a'), ask('a')), say('tool', decide('a', true))];
    expect(await send(messages)).toBe('ok');
    expect(settleInTurn(dialect, messages).changes).toEqual([]);
    expect(new Conversation(dialect, { messages }).messages).toEqual(messages);
  });

  it('writes results in every form that the SDK’s schema knows', async () => {
    const values = ['text', { json: [1, null] }, undefined, 7n, { when: new Date(0), not: undefined }, new Map()];
    const ids = values.map((_, i) => `c${i}`);
    const outcomes = values.map((value, i) => ({
      ...{ id: ids[i] ?? '', name: 'read', call: undefined, ms: 1, status: 'completed' as const, value },
    }));
    const declined = { id: 'no', name: 'read', call: undefined, ms: 0, status: 'declined' as const };
    const settled = repairWith([hello, say('assistant', ...[...ids, 'no', 'lost'].map((id) => call(id)))], {
      dialect,
      outcomes: [...outcomes, declined],
    }).messages;
    expect(ai.modelMessageSchema.array().safeParse(settled).error).toBeUndefined();
    expect(await send(settled)).toBe('ok');
  });

  const chats: [string, UIMessage[]][] = [
    ['a call that was cut', [ui('u', 'user', text), ui('m', 'assistant', part('a', 'input-available'))]],
    [
      'an open question',
      [ui('u', 'user', text), ui('m', 'assistant', part('a', 'approval-requested', { approval: { id: 'q' } }))],
    ],
    [
      'a yes that came too late',
      [
        ui('u', 'user', text),
        ui('m', 'assistant', part('a', 'approval-responded', { approval: { id: 'q', approved: true } })),
        ui('v', 'user', text),
      ],
    ],
    [
      'a tool of a run time',
      [
        ui('u', 'user', text),
        ui('m', 'assistant', { ...part('a', 'input-available'), type: 'dynamic-tool', toolName: 'x' }),
      ],
    ],
    [
      'half of a batch, half a call, half a text',
      [
        ui('u', 'user', text),
        ui(
          'm',
          'assistant',
          { type: 'step-start' },
          part('a', 'output-available', { output: 'x' }),
          part('b', 'input-available'),
          part('c', 'input-streaming', { rawInput: '{"pa' }),
          { type: 'step-start' },
          { type: 'reasoning', text: 'So', state: 'streaming' },
        ),
      ],
    ],
  ];

  it.each(chats)('S17 a chat with %s: MissingToolResultsError before, none after', async (_what, messages) => {
    expect(await send(await ai.convertToModelMessages(messages))).toBe('AI_MissingToolResultsError');
    const settled = repairWith(messages, { dialect: aiSDKUI }).messages;
    expect(await send(await ai.convertToModelMessages(settled))).toBe('ok');
    const next = [...settled, ui('n', 'user', text)];
    expect(await send(await ai.convertToModelMessages(next)), 'and the next prompt').toBe('ok');
    expect(await ai.safeValidateUIMessages({ messages: next })).toMatchObject({ success: true });
    await expect(ai.validateUIMessages({ messages: next, tools })).resolves.toHaveLength(next.length);
    const model = repairWith(await ai.convertToModelMessages(settled), { dialect });
    expect(model.changes, 'the other kind finds nothing to do').toEqual([]);
  });

  it('takes any chat in any state', async () => {
    let questions = 0;
    const approval = fc.constantFrom(undefined, {}, { approved: true }, { approved: false }).map((decision) => {
      questions += 1;
      return decision && { id: `q${String(questions)}`, ...decision };
    });
    const anyPart = fc
      .record({
        toolCallId: fc.constantFrom('a', 'b', 'c'),
        state: fc.constantFrom(
          ...['input-streaming', 'input-available', 'approval-requested', 'approval-responded'],
          ...['output-available', 'output-error', 'output-denied'],
        ),
        approval,
        preliminary: fc.constantFrom(undefined, true),
      })
      .map(({ toolCallId, state, approval: given, preliminary }) => {
        const end = state === 'output-available' ? { output: 'x', preliminary } : {};
        return part(toolCallId, state, { ...end, ...(given === undefined ? {} : { approval: given }) });
      });
    const anyStep = fc
      .array(fc.oneof(anyPart, anyPart, fc.constant({ ...text, state: 'streaming' })), { minLength: 1, maxLength: 4 })
      .map((parts) => [{ type: 'step-start' }, ...parts]);
    const reply = fc.array(anyStep, { minLength: 1, maxLength: 3 }).map((steps) => steps.flat());
    await fc.assert(
      fc.asyncProperty(reply, fc.boolean(), async (parts, isStopped) => {
        const messages = [ui('u', 'user', text), ui('m', 'assistant', ...parts)];
        const made = isStopped
          ? repairWith(messages, { dialect: aiSDKUI })
          : settleInTurn<UIMessage>(aiSDKUI, messages);
        const settled = [...made.messages];
        expect(await ai.safeValidateUIMessages({ messages: settled })).toMatchObject({ success: true });
        expect(await send(await ai.convertToModelMessages(settled))).toBe('ok');
      }),
      { numRuns: 300 },
    );
  });

  it('S18 a stream cut after any part, folded, is taken for the next request', async () => {
    const finish = (unified: string) => ({ type: 'finish', finishReason: { unified, raw: unified }, usage });
    const stored = { openai: { itemId: 'rs_1' } };
    const rounds = [
      [
        ...[
          { type: 'stream-start', warnings: [] },
          { type: 'reasoning-start', id: 'r', providerMetadata: stored },
        ],
        ...[
          { type: 'reasoning-delta', id: 'r', delta: 'Hm' },
          { type: 'reasoning-end', id: 'r' },
        ],
        ...[
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: 'I read' },
          { type: 'text-end', id: 't' },
        ],
        ...[
          { type: 'tool-input-start', id: 'a', toolName: 'read' },
          { type: 'tool-input-delta', id: 'a', delta: '{"x":1}' },
        ],
        ...[
          { type: 'tool-input-end', id: 'a' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: '{"x":1}' },
        ],
        finish('tool-calls'),
      ],
      [
        ...[
          { type: 'stream-start', warnings: [] },
          { type: 'text-start', id: 't' },
        ],
        ...[{ type: 'text-delta', id: 't', delta: 'Done.' }, { type: 'text-end', id: 't' }, finish('stop')],
      ],
    ];
    const parts: { type: string }[] = [];
    let round = 0;
    const streaming = new Mock({
      doStream: () => {
        const chunks = rounds[round] ?? [];
        round += 1;
        return Promise.resolve({ stream: ai.simulateReadableStream({ chunks }) });
      },
    });
    // Under the name that both majors have.
    const { fullStream } = ai.streamText({
      model: streaming,
      tools,
      messages: [hello],
      stopWhen: ai.stepCountIs(3),
    }) as unknown as { fullStream: AsyncIterable<{ type: string }> };
    for await (const one of fullStream) parts.push(one);
    expect(parts.at(-1)?.type).toBe('finish');

    for (let cut = 0; cut <= parts.length; cut += 1) {
      const fold = foldAISDK();
      for (const one of parts.slice(0, cut)) fold.add(one);
      const value = fold.value;
      const told = value.isComplete ? value : { status: 'interjected', partial: value, reason };
      const settled = [hello, ...(messageWriter(dialect).reply(told) as ModelMessage[])];
      expect(await send([...settled, hello]), `after ${String(cut)} parts`).toBe('ok');
      expect(repairWith(settled, { dialect }).changes).toEqual([]);
      expect(JSON.stringify(settled).includes('not started'), 'the SDK may have started the tool').toBe(false);
      // Nothing that had come is lost, and nothing is said of an item that was not stored.
      const has = (type: string): boolean => parts.slice(0, cut).some((one) => one.type === type);
      const json = JSON.stringify(value.messages);
      expect([json.includes('I read'), json.includes('tool-call'), json.includes('tool-result')]).toEqual([
        has('text-delta'),
        has('tool-call'),
        has('tool-result'),
      ]);
      expect(json.includes('rs_1')).toBe(has('finish-step'));
    }
  });
});
