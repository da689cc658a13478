import { expect, it } from 'vitest';

import { said, wordsIn } from '../../../src/adapters/llm/chat-content.ts';

it('words are those of a text, or of the parts of a list; thoughts are apart, however deep', () => {
  expect(wordsIn('Hello')).toEqual({ text: 'Hello', thought: '' });
  const thinking = [{ type: 'text', text: 'They ' }, { thinking: 'greet me.' }];
  const list = [
    { type: 'thinking', thinking },
    { type: 'text', text: 'Hello ' },
    { type: 'text', text: 'there.' },
  ];
  expect(wordsIn(list)).toEqual({ text: 'Hello there.', thought: 'They greet me.' });
});

it('what is no part says nothing', () => {
  for (const none of [undefined, null, 7, {}, [null, 7, 'text', {}, { text: 1 }]]) {
    expect(wordsIn(none)).toEqual({ text: '', thought: '' });
  }
});

it('a call of the old form is one once its arguments are whole, and sound once it is stored', () => {
  const call = { name: 'pay', arguments: '{"to":' };
  expect(said({ refusal: 'no', function_call: call, audio: { data: '…' } }, true)).toEqual({ refusal: 'no' });
  const whole = { function_call: { name: 'pay', arguments: '{}' }, audio: { id: 'a', expires_at: 1 } };
  expect(said(whole, true)).toEqual(whole);
  expect(said(whole, false)).toEqual({ audio: whole.audio });
});
