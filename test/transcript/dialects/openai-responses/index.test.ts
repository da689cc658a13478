import { openaiResponses } from '../../../../src/transcript/dialects/openai-responses/index.ts';
import { servesALoop } from '../../support/loop-contract.ts';

const text = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hello.', annotations: [] }],
};
const call = { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{"path":"a.txt"}' };

servesALoop({
  dialect: openaiResponses,
  prompt: { role: 'user' },
  whole: { id: 'resp_1', object: 'response', status: 'completed', output: [text, call] },
  fold: { message: [text, call], text: 'Hello.', calls: [call], isComplete: false },
  empty: { id: 'resp_1', status: 'completed', output: [] },
});
