import { openaiAgents } from '../../../../src/transcript/dialects/openai-agents/index.ts';
import { servesALoop } from '../../support/loop-contract.ts';

const text = {
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'Hello.' }],
};
const call = {
  type: 'function_call',
  callId: 'call_1',
  name: 'read',
  arguments: '{"path":"a.txt"}',
  status: 'completed',
};

servesALoop({
  dialect: openaiAgents,
  prompt: { role: 'user', content: 'Go.' } as never,
  whole: { usage: { totalTokens: 1 }, output: [text, call], responseId: 'resp_1' },
  fold: { message: [text, call], text: 'Hello.', calls: [call], isComplete: false },
  empty: { usage: { totalTokens: 1 }, output: [] },
});
