import { describe, expect, it } from 'vitest';

import { foldAISDK, type AISDKReply } from '../../../../src/adapters/llm/folds/fold-ai-sdk.ts';

type Part = Readonly<Record<string, unknown>> & { readonly type: string };

const text: Part[] = [
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', text: 'Let me ' },
  { type: 'text-delta', id: '0', text: 'look.' },
  { type: 'text-end', id: '0' },
];
const call: Part = { type: 'tool-call', toolCallId: 'a', toolName: 'read', input: { x: 1 } };
const result: Part = { type: 'tool-result', toolCallId: 'a', toolName: 'read', output: 'ok' };
const start: Part = { type: 'start-step' };
const finish: Part = { type: 'finish-step', finishReason: 'tool-calls', usage: { inputTokens: 5, outputTokens: 9 } };
const end: Part = { type: 'finish', finishReason: 'stop', totalUsage: { inputTokens: 11, outputTokens: 12 } };
const said = { role: 'assistant', content: [{ type: 'text', text: 'Let me look.' }, call] };
const answered = {
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'read', output: { type: 'text', value: 'ok' } }],
};

function fold(parts: readonly Part[]): AISDKReply {
  const state = foldAISDK();
  for (const part of parts) state.add(part);
  return state.value;
}

it('folds a whole stream into messages, and tells the last step as the reply', () => {
  const whole = fold([{ type: 'start' }, start, ...text, call, result, finish, start, ...text, finish, end]);
  const last = { role: 'assistant', content: [{ type: 'text', text: 'Let me look.' }] };
  expect(whole).toEqual({
    message: last,
    messages: [said, answered, last],
    calls: [],
    fragments: [],
    text: 'Let me look.Let me look.',
    stopReason: 'stop',
    isComplete: true,
    usage: { isExact: true, inputTokens: 11, outputTokens: 12, reported: end['totalUsage'] },
  });
});

it('is not complete where the model failed, though the stream ends as any other', () => {
  const failed = fold([start, ...text, { type: 'error', error: new Error('502') }, { ...end, finishReason: 'error' }]);
  expect(failed).toMatchObject({ isComplete: false, text: 'Let me look.' });
});

describe('a cut', () => {
  it('keeps what had come, and the results of tools that had run', () => {
    expect(fold([start, ...text.slice(0, 2)])).toMatchObject({
      message: { content: [{ type: 'text', text: 'Let me ' }] },
      isComplete: false,
      stopReason: undefined,
    });
    expect(fold([start, ...text, call, result])).toMatchObject({ calls: [call], messages: [said, answered] });
    expect(fold([start, ...text, call, finish, start])).toMatchObject({
      messages: [said],
      message: { content: [] },
      stopReason: undefined,
    });
  });

  it('offers no half call', () => {
    const input = { type: 'tool-input-delta', id: 'a', delta: '{"pa' };
    expect(fold([start, { type: 'tool-input-start', id: 'a', toolName: 'read' }, input])).toMatchObject({
      calls: [],
      fragments: [{ id: 'a', name: 'read', json: '{"pa' }],
      messages: [],
      usage: { outputTokens: 1 },
    });
  });

  it('takes a call that has come whole for no fragment', () => {
    const begun = { type: 'tool-input-start', id: 'a', toolName: 'read' };
    expect(fold([start, begun, call])).toMatchObject({ calls: [call], fragments: [] });
  });

  it('S16 counts at least what came, never 0', () => {
    const unknown = { isExact: false, inputTokens: undefined, outputTokens: undefined };
    expect(fold([]).usage).toEqual(unknown);
    expect(fold([...text]).usage).toEqual({ ...unknown, outputTokens: 2 });
    expect(fold([start, ...text, finish, start, ...text]).usage).toEqual({
      isExact: false,
      inputTokens: 5,
      outputTokens: 9,
    });
  });
});

it('gives a new value each time, and never changes an old one', () => {
  const state = foldAISDK();
  for (const part of [start, ...text, call]) state.add(part);
  const before = state.value;
  const copy = structuredClone(before);
  for (const part of [result, finish, start, ...text]) state.add(part);
  expect(before).toEqual(copy);
});
