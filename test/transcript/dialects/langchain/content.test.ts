import { describe, expect, it } from 'vitest';

import {
  isBlankText,
  isStandard,
  isThinking,
  isThinkingOf,
  replyOf,
  saysSomething,
  sealOf,
  withoutUnkept,
  withSeals,
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
    ['', { additional_kwargs: { tool_outputs: [{ type: 'mcp_call', id: 'm' }] } }, true],
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

describe('replyOf', () => {
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
    expect(replyOf(value)).toEqual(message);
  });
});

describe('standard blocks of Anthropic', () => {
  const about = { output_version: 'v1', model_provider: 'anthropic' };
  const thought = { type: 'reasoning', reasoning: 'Hm', index: 0 };
  const seal = { type: 'non_standard', value: { type: 'thinking', signature: 's', index: 0 } };

  it('are known by what the message says of itself, however it is written down', () => {
    const standard = reply([thought], { response_metadata: about });
    const written = {
      lc: 1,
      type: 'constructor',
      id: ['AIMessage'],
      kwargs: { content: [], response_metadata: about },
    };
    const others = [{ ...about, model_provider: 'openai' }, { ...about, output_version: 'v0' }, null].map((each) =>
      reply([thought], { response_metadata: each }),
    );
    expect([standard, written, ...others, reply([])].map(isStandard)).toEqual([true, true, true, false, false, false]);
    expect([standard, ...others].map((message) => isThinkingOf(message)(thought))).toEqual([true, false, false, false]);
  });

  it('have each seal in its thought', () => {
    const other = { ...seal, value: { ...seal.value, signature: 't' } };
    expect(withSeals([thought, seal, text('x'), thought, other])).toEqual([
      { ...thought, signature: 's' },
      text('x'),
      { ...thought, signature: 't' },
    ]);
  });

  it('lose a seal that no thought is there for, or that is not its first', () => {
    const sealed = { ...thought, signature: 'mine' };
    expect([withSeals([seal, text('x')]), withSeals([sealed, seal])]).toEqual([[text('x')], [sealed]]);
  });

  it('are the same where no seal stands apart', () => {
    const whole = { type: 'non_standard', value: { type: 'thinking', thinking: 'Hm', signature: 's' } };
    const redacted = { type: 'non_standard', value: { type: 'redacted_thinking', data: 'd' } };
    const blocks = [thought, text('x'), whole, redacted, 'x', null, { type: 'non_standard' }];
    expect(withSeals(blocks)).toBe(blocks);
  });
});

it('a thought goes that OpenAI knows by its id alone, of a response that it never kept', () => {
  const [bare, sealed] = [
    { type: 'reasoning', id: 'rs' },
    { type: 'reasoning', id: 'rs', encrypted_content: 'x' },
  ];
  const streamed = (reasoning: object) => reply('I', { additional_kwargs: { reasoning } });
  expect(withoutUnkept(streamed(bare))).toEqual(reply('I', { additional_kwargs: {} }));
  expect(withoutUnkept(streamed(sealed))).toEqual(streamed(sealed));
  const blocks = (model_provider: string, ...content: object[]) =>
    reply(content, { response_metadata: { output_version: 'v1', model_provider } });
  expect(withoutUnkept(blocks('openai', bare, sealed, text('I')))).toEqual(blocks('openai', sealed, text('I')));
  expect(withoutUnkept(blocks('anthropic', bare))).toEqual(blocks('anthropic', bare));
});
