import { gemini } from '../../../../src/transcript/dialects/gemini/index.ts';
import { servesALoop } from '../../support/loop-contract.ts';

const message = {
  role: 'model',
  parts: [{ text: 'Hello.' }, { functionCall: { name: 'read', args: { path: 'a.txt' } } }],
};

servesALoop({
  dialect: gemini,
  prompt: { role: 'user', parts: [{ text: 'Go.' }] },
  whole: { candidates: [{ content: message, finishReason: 'STOP' }] },
  fold: { message, text: 'Hello.', calls: [], isComplete: false },
  empty: { candidates: [{ content: { role: 'model', parts: [{ text: '' }] } }] },
});
