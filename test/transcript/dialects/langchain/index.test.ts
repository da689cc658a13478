import { langchain } from '../../../../src/transcript/dialects/langchain/index.ts';
import { servesALoop } from '../../support/loop-contract.ts';

const whole = {
  role: 'assistant',
  content: 'Hello.',
  tool_calls: [{ type: 'tool_call', id: 'call_1', name: 'read', args: { path: 'a.txt' } }],
};

servesALoop({
  dialect: langchain,
  prompt: ['human', 'Go.'],
  whole,
  fold: { message: whole, isComplete: false },
  empty: { role: 'assistant', content: '' },
});
