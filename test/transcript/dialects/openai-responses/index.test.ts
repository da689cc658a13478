import { expect, it } from 'vitest';

import { InterruptController } from '../../../../src/index.ts';
import { openaiResponses } from '../../../../src/transcript/dialects/openai-responses/index.ts';
import { servesALoop } from '../../support/loop-contract.ts';
import { Conversation, messageWriter } from '../../../../src/transcript/index.ts';

const text = {
  type: 'message',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Hello.', annotations: [] }],
};
const call = { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{"path":"a.txt"}' };

servesALoop({
  dialect: openaiResponses,
  prompt: { role: 'user', content: 'Go.' } as never,
  whole: { id: 'resp_1', object: 'response', status: 'completed', output: [text, call] },
  fold: { message: [text, call], text: 'Hello.', calls: [call], isComplete: false },
  empty: { id: 'resp_1', status: 'completed', output: [] },
});

it.each(['cancelled', 'failed', 'in_progress', 'queued'])(
  'a response that says it is %s, as one of the background is retrieved, gives no call to run, and says that it was cut',
  (status) => {
    const thought = { type: 'reasoning', id: 'rs_1', summary: [] };
    const response = { id: 'resp_1', object: 'response', status, output: [thought, text, { ...call, id: 'fc_1' }] };
    for (const reply of [response, { status: 'completed', value: response }]) {
      expect(openaiResponses.calls(reply)).toEqual([]);
      const [said, called, output] = messageWriter(openaiResponses).reply(reply);
      expect([said, called]).toEqual([text, call]);
      expect(JSON.stringify(output)).toContain('was not started');
    }
    const [marked] = messageWriter(openaiResponses).reply({ ...response, output: [thought, text] });
    expect(JSON.stringify(marked)).toContain('[This reply was cut off before its end');
  },
);

it.each(['completed', 'incomplete', null, undefined])('the calls of a response that is %s may run', (status) => {
  expect(openaiResponses.calls({ id: 'resp_1', status, output: [call] })).toHaveLength(1);
});

it('a click on the screen is a call of its reply, and its picture is all that stands behind it', async () => {
  const click = { type: 'computer_call', id: 'cu_1', call_id: 'k', action: { type: 'click', x: 1, y: 2 } };
  const picture = { type: 'computer_screenshot', image_url: 'data:image/png;base64,AA' };
  const chat = new Conversation(openaiResponses);
  await chat.runTurn(new InterruptController(), 'Click.', async (turn) => {
    const reply = await turn.model(() => ({ output: [click] }));
    expect(reply.calls).toMatchObject([{ name: 'computer', input: { type: 'click' } }]);
    await turn.tools(reply.calls, () => picture);
  });
  expect(chat.messages.slice(1)).toEqual([click, { type: 'computer_call_output', call_id: 'k', output: picture }]);
});
