import { describe, expect, it } from 'vitest';

import {
  isBlankText,
  isThinking,
  langChainReplies,
  saysSomething,
  sealOf,
  withText,
} from '../../../../src/transcript/dialects/langchain/content.ts';

const reply = (content: unknown, more: object = {}) => ({ role: 'assistant', content, ...more });
const text = (words: string) => ({ type: 'text', text: words });

describe('content', () => {
  it.each<[unknown, object, boolean]>([
    ['x', {}, true],
    [' ', {}, false],
    [[], {}, false],
    [[text('x')], {}, true],
    ['', { additional_kwargs: { refusal: 'No.' } }, true],
    ['', { additional_kwargs: {} }, false],
  ])('%j says something: %s', (content, more, says) => {
    expect(saysSomething(reply(content, more))).toBe(says);
  });

  it('knows blank texts and seals', () => {
    expect([text(' '), text('x'), { type: 'image' }].map(isBlankText)).toEqual([true, false, false]);
    const thinking = { type: 'thinking', thinking: 'Hm', signature: 's' };
    expect([isThinking(thinking), isThinking(text('x'))]).toEqual([true, false]);
    expect([sealOf(thinking), sealOf({ type: 'redacted_thinking', data: 'd' }), sealOf({ type: 'thinking' })]).toEqual([
      's',
      'd',
      undefined,
    ]);
  });

  it.each<[unknown, unknown]>([
    ['x ', 'x\n\nEND'],
    ['', 'END'],
    [[text('x')], [text('x'), text('END')]],
    [[], 'END'],
  ])('puts a text below %j', (content, whole) => {
    expect(withText(reply(content), 'END')).toEqual(reply(whole));
  });
});

describe('langChainReplies', () => {
  it('reads what identifies a reply', () => {
    const content = [{ type: 'thinking', thinking: 'Hm', signature: 's' }, text('I '), { type: 'image' }];
    const tool_calls = [
      { id: 'a', name: 'read', args: {} },
      { id: 'b', name: 'read', args: null },
    ];
    expect(langChainReplies.parts(reply(content, { tool_calls }))).toEqual({
      prose: 'I',
      calls: ['a', 'b'],
      wholeCalls: ['a'],
      seals: ['s'],
    });
    expect(langChainReplies.parts('x')).toBeUndefined();
    expect(['x', { role: 'system', content: '' }, reply('x')].map((one) => langChainReplies.isPrompt(one))).toEqual([
      true,
      true,
      false,
    ]);
  });

  it.each<[unknown, unknown]>([
    ['x', reply('x')],
    [reply(null), reply('')],
    [
      ['ai', 'x'],
      ['ai', 'x'],
    ],
    [{ role: 'user', content: 'x' }, undefined],
    [7, undefined],
    [null, undefined],
  ])('takes %j for a partial as %j', (value, message) => {
    expect(langChainReplies.fromPartial(value)).toEqual(message);
  });
});
