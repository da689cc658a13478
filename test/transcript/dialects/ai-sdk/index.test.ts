import { expect, it } from 'vitest';

import { aiSDK, aiSDKUI } from '../../../../src/transcript/dialects/ai-sdk/index.ts';
import { Conversation, mapDialect, repair } from '../../../../src/transcript/index.ts';
import { servesALoop } from '../../support/loop-contract.ts';

const text = { type: 'text', text: 'Hello.' };
const call = { type: 'tool-call', toolCallId: 'call_1', toolName: 'read', input: { path: 'a.txt' } };
const message = { role: 'assistant', content: [text, call] };

servesALoop({
  dialect: aiSDK,
  prompt: { role: 'user', content: 'Go.' },
  whole: { text: 'Hello.', response: { id: 'r', messages: [message] } },
  fold: { message, text: 'Hello.', calls: [call], isComplete: false },
  empty: { role: 'assistant', content: [] },
});

const page = [{ id: '1', role: 'user' as const, parts: [{ type: 'text', text: 'Hello' }] }];

it('messages of a page are refused among those for a model, and the other way round', () => {
  expect(() => repair(page as never, { dialect: aiSDK })).toThrow(/^messages\[0\] must be .*`aiSDKUI`/);
  expect(() => repair([{ role: 'user', content: 'Hello' }] as never, { dialect: aiSDKUI })).toThrow(
    'messages[0].parts',
  );
  expect(repair(page, { dialect: aiSDKUI })).toEqual({ messages: page, changes: [] });
});

it('no conversation is held in messages of a page', () => {
  const words = 'no model is sent messages of ai-sdk-ui: a conversation has those that one is';
  expect(() => new Conversation(aiSDKUI as never)).toThrow(new TypeError(words));
  expect(() => mapDialect(aiSDKUI as never, { toWire: () => undefined, fromWire: () => ({}) })).toThrow(words);
});
