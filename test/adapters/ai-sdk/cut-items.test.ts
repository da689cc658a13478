import { expect, it } from 'vitest';
import { CutItems, RoundItems } from '../../../src/adapters/ai-sdk/cut-items.ts';

const named = (itemId: string, more: object = {}) => ({ openai: { itemId, ...more } });

function cutOf(...ids: readonly string[]): CutItems {
  const [cut, round] = [new CutItems(), new RoundItems()];
  for (const id of ids) round.add({ type: 'text-start', providerMetadata: named(id) } as never);
  cut.add(round);
  return cut;
}

const user = { role: 'user', content: [{ type: 'text', text: 'go', providerOptions: named('msg_1') }] };
const thought = { type: 'reasoning', text: 'hm', providerOptions: named('rs_1') };
const text = { type: 'text', text: 'npm', providerOptions: named('msg_1', { phase: 'final' }) };
const later = { type: 'text', text: 'pnpm', providerOptions: named('msg_2') };

it('items that were cut are sent themselves, and a thought among them is not', () => {
  const prompt = [user, { role: 'assistant', content: [thought, text, later] }];
  const bare = { ...text, providerOptions: { openai: { phase: 'final' } } };
  expect(cutOf('rs_1', 'msg_1').without(prompt)).toEqual([user, { role: 'assistant', content: [bare, later] }]);
});

it('a block that was cut before its first word is not sent', () => {
  const prompt = [user, { role: 'assistant', content: [{ ...text, text: '' }, later] }];
  expect(cutOf('msg_1').without(prompt)).toEqual([user, { role: 'assistant', content: [later] }]);
});

it('items that were cut leave no message behind that is empty', () => {
  expect(cutOf('rs_1').without([user, { role: 'assistant', content: [thought] }])).toEqual([user]);
});

it('items that were not cut stay as they are', () => {
  const prompt = [
    user,
    { role: 'assistant', content: [thought, later] },
    { role: 'assistant', content: 'words' },
    null,
  ];
  expect(new CutItems().without(prompt)).toBe(prompt);
  const kept = cutOf('msg_9').without(prompt);
  expect(kept.every((message, index) => message === prompt[index])).toBe(true);
});

it.each([[undefined], [null], [{}], [{ openai: null }], [{ openai: { itemId: 7 } }]])(
  '%o names no item',
  (metadata) => {
    const round = new RoundItems();
    round.add({ type: 'text-start', providerMetadata: metadata } as never);
    expect([...round.ids]).toEqual([]);
  },
);

const calledIn = (toolCallId: string, itemId?: string) => ({
  type: 'tool-call',
  toolCallId,
  ...(itemId === undefined ? {} : { providerOptions: named(itemId) }),
});

function cutBehind(calls: readonly string[], ids: readonly string[], ran: readonly string[] = []): CutItems {
  const [cut, round] = [new CutItems(), new RoundItems()];
  for (const id of ids) round.add({ type: 'text-start', providerMetadata: named(id) } as never);
  for (const toolCallId of ran) round.add({ type: 'tool-call', toolCallId, providerExecuted: true } as never);
  for (const toolCallId of calls) round.add({ type: 'tool-call', toolCallId } as never);
  cut.add(round);
  return cut;
}

it('behind calls a sealed thought is sent without its name, and the one that led to nothing is not', () => {
  const sealed = { type: 'reasoning', text: 'hm', providerOptions: named('rs_1', { reasoningEncryptedContent: 'x' }) };
  const last = { type: 'reasoning', text: 'and', providerOptions: { anthropic: { signature: 's' } } };
  const content = [sealed, calledIn('a', 'fc_1'), last, { type: 'text', text: '' }];
  expect(cutBehind(['a'], ['rs_1', 'fc_1']).without([{ role: 'assistant', content }])).toEqual([
    {
      role: 'assistant',
      content: [{ ...sealed, providerOptions: { openai: { reasoningEncryptedContent: 'x' } } }, calledIn('a')],
    },
  ]);
  const other = [{ role: 'assistant', content: [calledIn('b'), last] }];
  expect(cutBehind(['a'], []).without(other)[0]).toBe(other[0]);
});

it('what the provider ran and had not ended is left out, but for what made calls of ours', () => {
  const run = { type: 'tool-call', toolCallId: 'web', providerExecuted: true };
  const text = { type: 'text', text: 'a' };
  const prompt = [{ role: 'assistant', content: [text, run] }];
  expect(cutBehind([], [], ['web']).without(prompt)).toEqual([{ role: 'assistant', content: [text] }]);
  expect(cutBehind(['a'], [], ['web']).without(prompt)[0]).toBe(prompt[0]);
  const [cut, round] = [new CutItems(), new RoundItems()];
  for (const type of ['tool-call', 'tool-result'])
    round.add({ type, toolCallId: 'web', providerExecuted: true } as never);
  cut.add(round);
  expect(cut.without(prompt)[0]).toBe(prompt[0]);
});

it('what the provider ran is left out where it stores items, and stays where it does not', () => {
  const run = { type: 'tool-call', toolCallId: 'web', providerExecuted: true };
  const result = { type: 'tool-result', toolCallId: 'web' };
  const prompt = [{ role: 'assistant', content: [run, result, calledIn('a')] }];
  expect(cutBehind(['a'], ['fc_1'], ['web']).without(prompt)).toEqual([
    { role: 'assistant', content: [calledIn('a')] },
  ]);
  expect(cutBehind(['a'], [], ['web']).without(prompt)[0]).toBe(prompt[0]);
});
