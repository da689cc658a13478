import { aiSDK } from '../../../../src/transcript/dialects/ai-sdk/index.ts';
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
