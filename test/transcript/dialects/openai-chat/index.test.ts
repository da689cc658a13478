import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';
import { servesALoop } from '../../support/loop-contract.ts';

const call = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"a.txt"}' } };
const message = { role: 'assistant', content: 'Hello.', tool_calls: [call] };

servesALoop({
  dialect: openaiChat,
  prompt: { role: 'user', content: 'Go.' },
  whole: { id: 'chatcmpl_1', choices: [{ index: 0, message, finish_reason: 'tool_calls' }] },
  fold: { message, text: 'Hello.', calls: [call], isComplete: false },
  empty: { choices: [{ message: { role: 'assistant', content: null } }] },
});
