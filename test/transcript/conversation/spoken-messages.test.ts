import { expect, it } from 'vitest';

import type { Interjection } from '../../../src/core/interrupt/public-types/messages.ts';
import { SpokenMessages } from '../../../src/transcript/conversation/spoken-messages.ts';
import { rulesOf } from '../../../src/transcript/dialects/create-dialect.ts';
import { anthropic } from '../../../src/transcript/dialects/anthropic/index.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';

const spoken = new SpokenMessages(rulesOf({ dialect: anthropic }), createWords(undefined));
const said = (message: unknown): unknown => spoken.of({ message } as Interjection);

it('texts and messages become legal ones, and what is neither is refused', () => {
  const blank = { type: 'text', text: ' ' };
  expect(spoken.legal(['hi', { role: 'user', content: [blank] }, ''])).toEqual([{ role: 'user', content: 'hi' }]);
  expect(() => spoken.legal([7 as never])).toThrow(TypeError);
});

it('a message for the working agent is a text or data, marked, or a message of the provider as it is', () => {
  expect(said('use pnpm')).toEqual({ role: 'user', content: '[PRIORITY USER MESSAGE]: use pnpm' });
  const own = { role: 'user', content: [{ type: 'text', text: 'look' }] };
  expect(said(own)).toEqual(own);
  expect(said({ text: 'look' })).toEqual({ role: 'user', content: '[PRIORITY USER MESSAGE]: {"text":"look"}' });
  expect(said({ role: 'assistant', content: 'x' })).toMatchObject({ role: 'user' });
});
