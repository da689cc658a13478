import { describe, expect, it } from 'vitest';
import { settleUIMessages, type AIUIMessage } from '../../../src/adapters/ai-sdk/index.ts';
import { createReason, type ToolOutcome } from '../../../src/index.ts';

const reason = createReason('user');

function outcome(id: string, rest: object): ToolOutcome {
  return { id, name: 'x', call: {}, ms: 1, ...rest } as ToolOutcome;
}

function settled(part: object, outcomes: ToolOutcome[] = []): Record<string, unknown> {
  const message = { role: 'assistant', parts: [{ type: 'tool-x', toolCallId: '1', ...part }] };
  const [first] = settleUIMessages([message], { outcomes });
  return first?.parts[0] as unknown as Record<string, unknown>;
}

describe('an open call', () => {
  it.each([
    ['input-streaming', 'not run'],
    ['approval-requested', 'not run'],
    ['approval-responded', 'not run'],
    ['input-available', 'stopped before it finished'],
  ])('%s is answered', (state, text) => {
    const part = settled({ state, input: { n: 1 } });
    expect(part).toMatchObject({ state: 'output-error', errorText: expect.stringContaining(text) as string });
    expect(part['input']).toEqual(state === 'input-streaming' ? {} : { n: 1 });
  });

  it.each([
    ['unknown', 'may have taken effect'],
    ['skipped', 'a newer message'],
    ['declined', 'declined'],
    ['not-started', 'was not run'],
    ['stopped', 'stopped before'],
    ['failed', 'failed'],
  ])('that the ledger calls %s says so', (status, text) => {
    const part = settled({ state: 'input-available', input: {} }, [outcome('1', { status, reason })]);
    expect(part['errorText']).toContain(text);
  });

  it('that the ledger knows the result of has it', () => {
    const part = settled({ state: 'input-available', input: {} }, [outcome('1', { status: 'completed', value: 7 })]);
    expect(part).toMatchObject({ state: 'output-available', output: 7 });
    expect(part).not.toHaveProperty('errorText');
  });

  it('waits for no approval any more', () => {
    expect(settled({ state: 'approval-requested', input: {}, approval: { id: 'a' } })).not.toHaveProperty('approval');
  });

  it('is answered in other words on request', () => {
    const message = {
      role: 'assistant',
      parts: [{ type: 'dynamic-tool', toolCallId: '1', state: 'input-available', input: {} }],
    };
    const [first] = settleUIMessages([message], { textOf: ({ toolCallId, status }) => `${toolCallId} ${status}` });
    expect(first?.parts[0]).toMatchObject({ state: 'output-error', errorText: '1 stopped' });
  });
});

it('text and reasoning that were streaming are done', () => {
  const message = {
    role: 'assistant',
    parts: [
      { type: 'reasoning', text: 'hm', state: 'streaming' },
      { type: 'text', text: 'Hel', state: 'streaming' },
      { type: 'step-start' },
    ],
  };
  expect(settleUIMessages([message])[0]?.parts).toEqual([
    { type: 'reasoning', text: 'hm', state: 'done' },
    { type: 'text', text: 'Hel', state: 'done' },
    { type: 'step-start' },
  ]);
});

it('touches nothing that is settled, and settling twice changes nothing', () => {
  const messages: AIUIMessage[] = [
    { role: 'user', parts: [{ type: 'text' }] },
    { role: 'assistant', parts: [{ type: 'tool-x', toolCallId: '1', state: 'output-available', output: 1 } as never] },
    { role: 'assistant', parts: [{ type: 'tool-x', toolCallId: '2', state: 'input-available', input: {} } as never] },
  ];
  const copy = structuredClone(messages);
  const once = settleUIMessages(messages);
  expect(messages).toEqual(copy);
  expect([once[0], once[1]]).toEqual([messages[0], messages[1]]);
  expect(once[0]).toBe(messages[0]);
  const twice = settleUIMessages(once);
  expect(twice.every((message, index) => message === once[index])).toBe(true);
});

it('refuses what are no UI messages', () => {
  expect(() => settleUIMessages('x' as never)).toThrow('messages must be a list of UI messages, got "x"');
  expect(() => settleUIMessages([{ role: 'user', content: 'x' } as never])).toThrow('a UI message must have parts');
});
