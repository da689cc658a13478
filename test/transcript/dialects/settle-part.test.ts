import { expect, it } from 'vitest';

import { anthropic } from '../../../src/transcript/dialects/anthropic/index.ts';
import { rulesOf } from '../../../src/transcript/dialects/create-dialect.ts';
import { settlePart } from '../../../src/transcript/dialects/settle-part.ts';
import { createWords } from '../../../src/transcript/words/wording.ts';
import { lostNote } from '../../../src/core/foundation/results/lost-note.ts';

const words = createWords(undefined);
const rules = rulesOf({ dialect: anthropic });
const begun = {
  role: 'assistant' as const,
  content: [
    { type: 'text', text: 'I look.' },
    { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
  ],
};

it('a part of a conversation is legal as what it is: with what the provider had begun only where somebody goes on', () => {
  expect(settlePart(rules, [begun], { words, goesOn: true })).toEqual([begun]);
  expect(settlePart(rules, [begun], { words, goesOn: false })).toEqual([
    { role: 'assistant', content: begun.content.slice(0, 1) },
    { role: 'user', content: lostNote(['web_search']) },
  ]);
});
