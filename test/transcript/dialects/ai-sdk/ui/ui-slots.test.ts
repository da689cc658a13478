import { expect, it } from 'vitest';

import { readSlots } from '../../../../../src/transcript/dialects/ai-sdk/ui/ui-slots.ts';

const call = (toolCallId: string, state = 'input-available', more: object = {}) => ({
  ...{ type: 'tool-read', toolCallId, state, input: {} },
  ...more,
});
const step = { type: 'step-start' };

function read(parts: readonly { readonly type: string; readonly [field: string]: unknown }[]) {
  const message = { role: 'assistant' as const, parts };
  return readSlots([{ message, cut: undefined }], undefined)[0]?.steps ?? [];
}

it('divides a reply into steps', () => {
  const steering = { type: 'steering-message', parts: [] };
  const steps = read([{ type: 'file' }, step, call('a'), steering, call('b', 'output-error')]);
  expect(steps.map(({ opening, parts }) => [opening?.type, parts.length])).toEqual([
    [undefined, 1],
    ['step-start', 1],
    ['steering-message', 1],
  ]);
  expect(steps[1]?.parts[0]?.call).toMatchObject({ id: 'a', name: 'read', at: 0, isServer: false });
});

it('knows which step was cut, and takes the ids of what was never stored from it', () => {
  const stored = { providerMetadata: { openai: { itemId: 'm' } } };
  const text = (words: string, state: string) => ({ type: 'text', text: words, state, ...stored });
  const streaming = read([step, text('a', 'done'), step, text('b', 'done'), call('a', 'input-streaming')]);
  expect(streaming.map(({ isCut }) => isCut)).toEqual([false, false, true]);
  expect(streaming.map(({ parts }) => parts[0] && 'providerMetadata' in parts[0].part)).toEqual([
    undefined,
    true,
    false,
  ]);
});

it('removes and renames what is illegal in itself', () => {
  const steps = read([
    ...[call(''), { type: 'text', text: ' ' }, { type: 'reasoning', text: '' }],
    ...[call('a'), call('a', 'output-available', { output: 1 }), call('a', 'output-available', { output: 2 })],
  ]);
  expect(steps[0]?.parts.map(({ part }) => part)).toEqual([
    call('a', 'output-available', { output: 1 }),
    call('a_copy2', 'output-available', { output: 2 }),
  ]);
});
