import { describe, expect, it } from 'vitest';

import type { ToolOutcome } from '../../../../src/index.ts';
import { openaiAgents, type OpenAIAgentsItem } from '../../../../src/transcript/dialects/openai-agents/index.ts';
import { repairWith } from '../../support/repair-with.ts';
import { cutReply } from '../../support/cut-reply.ts';

type Item = OpenAIAgentsItem & Readonly<Record<string, unknown>>;
const prompt: Item = { role: 'user', content: 'Pay.' };
const call: Item = { type: 'function_call', callId: 'c1', name: 'pay', status: 'completed', arguments: '{}' };
const row: ToolOutcome = { id: 'c1', name: 'pay', call, ms: 1, status: 'completed', value: 'paid' };

describe('settling OpenAI Agents', () => {
  it('S45 what completed is the result of its call, as the SDK itself writes it', () => {
    const { messages } = repairWith([prompt, call], { dialect: openaiAgents, outcomes: [row] });
    expect(messages[1]).toBe(call);
    expect(messages[2]).toEqual({
      type: 'function_call_result',
      callId: 'c1',
      name: 'pay',
      status: 'completed',
      output: { type: 'text', text: 'paid' },
    });
  });

  it('the result of a call that a program made names the same caller', () => {
    const caller = { type: 'program', callerId: 'prog_1' };
    const own = { ...call, caller, namespace: 'shop' };
    const { messages } = repairWith([prompt, own], { dialect: openaiAgents });
    expect(messages[2]).toMatchObject({ callId: 'c1', caller, namespace: 'shop' });
  });

  it('an id that no request may have is made another, and everything else stays', () => {
    const callId = 'x'.repeat(70);
    const result = { type: 'function_call_result', callId, name: 'pay', status: 'completed', output: 'paid' };
    const { messages } = repairWith([prompt, { ...call, callId }, result], { dialect: openaiAgents });
    const { callId: made } = messages[1] as unknown as { callId: string };
    expect(made).toMatch(/^x{20}_[0-9a-f]{8}$/);
    expect(messages.slice(1)).toEqual([
      { ...call, callId: made },
      { ...result, callId: made },
    ]);
  });

  it('two results of one call become one that says both', () => {
    const result = (output: unknown): Item => ({
      type: 'function_call_result',
      callId: 'c1',
      name: 'pay',
      status: 'completed',
      output,
    });
    const image = { type: 'image', image: 'https://x.test/a.png' };
    const items = [prompt, call, result({ type: 'text', text: 'a' }), result('b'), result(image)];
    const { messages } = repairWith(items, { dialect: openaiAgents });
    expect(messages).toHaveLength(3);
    expect((messages[2] as Item)['output']).toEqual([
      { type: 'input_text', text: 'a' },
      { type: 'input_text', text: 'b' },
      { type: 'input_image', image: 'https://x.test/a.png' },
    ]);
  });

  it('calls of the built-in tools get results of their own kind', () => {
    const shell: Item = { type: 'shell_call', callId: 's', action: { commands: ['ls'] } };
    const patch: Item = {
      type: 'apply_patch_call',
      callId: 'p',
      status: 'completed',
      operation: { type: 'delete_file', path: 'a' },
    };
    const screen: Item = { type: 'computer_call', callId: 'd', status: 'completed', action: { type: 'wait' } };
    const { messages } = repairWith([prompt, shell, patch, screen], { dialect: openaiAgents });
    expect(openaiAgents.check(messages)).toEqual([]);
    expect(messages.slice(4)).toMatchObject([
      { type: 'shell_call_output', callId: 's', output: [{ stdout: '', outcome: { type: 'exit', exitCode: 1 } }] },
      { type: 'apply_patch_call_output', callId: 'p', status: 'failed' },
      { type: 'computer_call_result', callId: 'd', output: { type: 'computer_screenshot' } },
      { type: 'message', role: 'user', content: expect.stringContaining('It may have run') as string },
    ]);
    expect(messages[6]).toMatchObject({ output: { data: expect.stringMatching(/^data:image/) as string } });
  });

  it('a picture of the screen that is there stays, and so does everything that the provider ran', () => {
    const items: Item[] = [
      prompt,
      { type: 'reasoning', id: 'rs_1', content: [] },
      { type: 'hosted_tool_call', id: 'ws_1', name: 'web_search_call' },
      { type: 'computer_call', callId: 'd', status: 'completed', action: { type: 'wait' } },
      { type: 'computer_call_result', callId: 'd', output: { type: 'computer_screenshot', data: 'x' } },
    ];
    const { messages, changes } = repairWith(items, { dialect: openaiAgents });
    expect(changes).toEqual([]);
    expect(messages.every((item, i) => item === items[i])).toBe(true);
  });

  it('a message of the model gets the shape that the SDK wants, and reasoning loses its status', () => {
    const items: Item[] = [
      prompt,
      { type: 'reasoning', id: 'rs_1', content: [], providerData: { status: 'completed' } },
      { role: 'assistant', content: 'Done.' },
    ];
    const { messages, changes } = repairWith(items, { dialect: openaiAgents });
    expect(changes.map(({ rule }) => rule)).toEqual(['reasoning-status', 'message-shape']);
    expect(openaiAgents.check(messages)).toEqual([]);
  });

  it('S19 a cut reply says that it was cut', () => {
    const message = {
      type: 'message',
      role: 'assistant',
      status: 'incomplete',
      content: [{ type: 'output_text', text: 'One ' }],
    };
    const messages = cutReply(openaiAgents, { text: 'One ', message });
    const cut = { type: 'output_text', text: '[This reply was cut off before its end: the user cancelled.]' };
    expect(messages).toEqual([{ ...message, content: [...message.content, cut] }]);
    expect(repairWith([prompt, ...messages] as Item[], { dialect: openaiAgents }).changes).toEqual([]);
  });

  it('S17 gives a call an id of its own where a server numbers them anew, also beside its row', () => {
    const numbered = { ...call, callId: 'call_0' };
    const done = (text: string): Item => ({
      type: 'function_call_result',
      callId: 'call_0',
      name: 'pay',
      status: 'completed',
      output: { type: 'text', text },
    });
    const items: Item[] = [prompt, numbered, done('one'), prompt, numbered, done('two'), prompt, numbered];
    const outcomes = [{ ...row, id: 'call_0' }];
    const options = { dialect: openaiAgents, outcomes };
    const { messages, changes } = repairWith(items, options);
    const ids = messages.flatMap((item) => (item as { callId?: string }).callId ?? []);
    expect(ids).toEqual(['call_0', 'call_0', 'call_0_copy2', 'call_0_copy2', 'call_0_copy3', 'call_0_copy3']);
    expect(JSON.stringify(messages)).toMatch(/one.*two/);
    expect(messages.slice(0, 4)).toEqual(items.slice(0, 4));
    expect(changes.map(({ at, rule }) => [at, rule])).toContainEqual([4, 'call-id']);
    expect(openaiAgents.check(messages)).toEqual([]);
    expect(repairWith(messages, options).changes, 'settled twice').toEqual([]);
  });

  it('S20 what a server holds is answered by what is to be submitted', () => {
    const held = { responses: [{ id: 'resp_1', output: [call] }] };
    const { submit } = repairWith([prompt, call], { dialect: openaiAgents, outcomes: [row], held });
    expect(submit).toMatchObject({
      previous_response_id: 'resp_1',
      input: [{ type: 'function_call_result', callId: 'c1', name: 'pay' }],
    });
  });
});
