/** What a server holds, told apart from what has to be sent: by ids, by words, and by pictures that are there. */
import { describe, expect, it } from 'vitest';

import { openaiAgents } from '../../src/transcript/dialects/openai-agents/index.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';
import type { HeldState } from '../../src/transcript/held-conversation.ts';
import { repairWith } from './support/repair-with.ts';
import { messageWriter } from '../../src/transcript/index.ts';

const text = 'Hi.';
const said = (id: string) => ({
  id,
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
});
const next = { role: 'user', content: 'Deploy to staging.' };
const held = (...outputs: readonly (readonly object[])[]): HeldState => ({
  responses: outputs.map((output, i) => ({ id: `r${String(i)}`, status: 'completed', output })),
});

describe('a reply that the server holds and whose copy has no id', () => {
  const { id: _id, ...bare } = said('msg_1');

  it.each([
    ['the same without its id', bare],
    ['what the dialect itself says', messageWriter(openaiResponses).reply(text)[0]],
    ['a text for its content', { role: 'assistant', content: text }],
  ])('%s is known by its words, and what came since is sent', (_form, copy) => {
    const items = [{ role: 'user', content: 'Hello' }, copy, next] as object[];
    const { submit } = repairWith(items, { dialect: openaiResponses, held: held([said('msg_1')]) });
    expect(submit).toEqual({ previous_response_id: 'r0', input: [next] });
  });

  it('is known by its words in OpenAI Agents, where neither side has an id', () => {
    const items = [{ role: 'user', content: 'Hello' }, bare, next];
    const { submit } = repairWith(items, { dialect: openaiAgents, held: held([bare]) });
    expect(submit?.input).toEqual([next]);
  });

  it('the same words under another id are another reply', () => {
    const items = [{ role: 'user', content: 'Hello' }, said('msg_1'), { role: 'user', content: 'Hello?' }];
    const state = held([said('msg_1')], [said('msg_2')]);
    const { submit } = repairWith(items, { dialect: openaiResponses, held: state });
    expect(submit).toEqual({ previous_response_id: 'r1', input: [] });
  });
});

describe('a call that wants a picture', () => {
  const call = {
    id: 'cu_1',
    type: 'computer_call',
    call_id: 'k',
    action: { type: 'screenshot' },
    status: 'completed',
    pending_safety_checks: [],
  };
  const hello = { role: 'user', content: 'Hello' };

  it.each([undefined, { output: 'text' }, { output: [] }, {}])('is answered without one, after %j', (more) => {
    const results = more === undefined ? [] : [{ type: 'computer_call_output', call_id: 'k', ...more }];
    const options = { dialect: openaiResponses, held: held([call]) };
    const { messages, submit } = repairWith([hello, call, ...results], options);
    expect(messages.slice(0, 2)).toEqual([hello, call]);
    expect(submit?.previous_response_id).toBe('r0');
    expect(submit?.input[0]).toMatchObject({ call_id: 'k', output: { type: 'computer_screenshot' } });
    expect(submit?.input).toHaveLength(more === undefined ? 2 : 1);
    expect(repairWith(messages, options)).toMatchObject({ messages, changes: [] });
  });

  it('is answered by a picture', () => {
    const result = {
      type: 'computer_call_output',
      call_id: 'k',
      output: { type: 'computer_screenshot', image_url: 'x' },
    };
    const { submit } = repairWith([hello, call, result], { dialect: openaiResponses, held: held([call]) });
    expect(submit).toEqual({ previous_response_id: 'r0', input: [result] });
  });
});

describe.each([openaiResponses, openaiAgents])(
  'a prompt pushed behind a reply that is not in the transcript, in $name',
  (dialect) => {
    const prompt = { role: 'user', content: 'Delete only the logs!' };

    it('is sent behind what another response is known to have said, and what it was asked next', () => {
      const first = { ...said('msg_0'), content: [{ type: 'output_text', text: 'First.' }] };
      const items = [{ role: 'user', content: 'Hello' }, first, next, prompt];
      const { submit, messages } = repairWith(items, {
        dialect: dialect as never,
        held: held([first], [said('msg_1')]),
      });
      expect(submit).toEqual({ previous_response_id: 'r1', input: [prompt] });
      expect(messages).toEqual(items);
    });

    it('is not sent again where the reply to it asks for a tool', () => {
      const id = dialect === openaiAgents ? 'callId' : 'call_id';
      const open = { type: 'function_call', [id]: 'c1', name: 'pay', arguments: '{}' };
      const { submit } = repairWith([prompt], { dialect: dialect as never, held: held([open]) });
      expect(submit?.input).toMatchObject([{ [id]: 'c1' }]);
    });
  },
);
