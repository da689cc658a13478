import { anthropic } from '../../../../src/transcript/dialects/anthropic/index.ts';
import { servesALoop } from '../../support/loop-contract.ts';

const text = { type: 'text', text: 'Hello.' };
const use = { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a.txt' } };
const message = { role: 'assistant', content: [text, use] };

servesALoop({
  dialect: anthropic,
  prompt: { role: 'user', content: 'Go.' },
  whole: { id: 'msg_1', type: 'message', ...message, stop_reason: 'tool_use', usage: {} },
  fold: { message, text: 'Hello.', calls: [use], isComplete: false },
  empty: { role: 'assistant', content: [{ type: 'text', text: '' }] },
});
