import { describe, expect, it } from 'vitest';

import { openaiAgents, type OpenAIAgentsItem } from '../../../../src/transcript/dialects/openai-agents/index.ts';

type Item = OpenAIAgentsItem & Readonly<Record<string, unknown>>;
const call: Item = { type: 'function_call', callId: 'c1', name: 'pay', arguments: '{}' };
const result: Item = { type: 'function_call_result', callId: 'c1', name: 'pay', status: 'completed', output: 'paid' };
const say = (text: string): Item => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
});
const reasoning: Item = { type: 'reasoning', id: 'rs_1', content: [] };
const rules = (...items: Item[]): string[] => openaiAgents.check(items).map(({ rule }) => rule);

describe('the rules of OpenAI Agents', () => {
  it('a whole round of every kind is legal', () => {
    expect(
      rules(
        { role: 'user', content: 'Go.' },
        reasoning,
        say('One moment.'),
        call,
        { type: 'shell_call', callId: 's', action: { commands: [] } },
        { type: 'apply_patch_call', callId: 'p', status: 'completed', operation: { type: 'delete_file', path: 'a' } },
        { type: 'computer_call', callId: 'd', status: 'completed', actions: [{ type: 'wait' }] },
        { type: 'hosted_tool_call', name: 'web_search_call', id: 'ws' },
        { ...result, output: { type: 'text', text: 'paid' } },
        { type: 'shell_call_output', callId: 's', output: [{ outcome: { type: 'timeout' } }] },
        { type: 'apply_patch_call_output', callId: 'p', status: 'failed' },
        { type: 'computer_call_result', callId: 'd', output: { type: 'computer_screenshot', data: 'x' } },
        { type: 'tool_search_call', execution: 'server', arguments: {} },
      ),
    ).toEqual([]);
  });

  it.each<[rule: string, items: Item[]]>([
    ['call-answered', [call]],
    ['result-has-call', [result]],
    ['one-result-per-call', [call, result, result]],
    ['output-kind', [call, { type: 'shell_call_output', callId: 'c1', output: [] }]],
    ['call-id', [{ ...call, name: '' }, result]],
    [
      'call-id',
      [
        { ...call, callId: '' },
        { ...result, callId: '' },
      ],
    ],
    ['call-id', [call, call, result]],
    // The SDK sends one of the two, wherever they stand.
    ['call-id', [call, result, { role: 'user', content: 'Again.' }, call, result]],
    [
      'id-length',
      [
        { ...call, callId: 'c'.repeat(65) },
        { ...result, callId: 'c'.repeat(65) },
      ],
    ],
    ['name-characters', [{ ...call, name: 'fs.read' }, result]],
    ['call-arguments', [{ ...call, arguments: '{"a' }, result]],
    ['result-content', [call, { ...result, output: [] }]],
    ['result-content', [call, { ...result, output: undefined }]],
    [
      'item-id',
      [
        { ...say('a'), id: 'm' },
        { ...say('b'), id: 'm' },
      ],
    ],
    ['reasoning-followed', [reasoning]],
    ['reasoning-status', [{ ...reasoning, providerData: { status: 'completed' } }, say('x')]],
    ['message-shape', [{ role: 'assistant', content: 'x', status: 'completed' }]],
    ['message-shape', [{ ...say('x'), status: undefined }]],
    ['message-not-empty', [say('')]],
  ])('%s is found', (rule, items) => {
    expect(rules(...items)).toEqual([rule]);
  });

  it('leaves ids and names to a server that has its own', () => {
    const own = { ...call, callId: 'c'.repeat(65), name: 'fs.read' };
    expect(openaiAgents.check([own, { ...result, callId: own.callId }] as never, { ids: 'keep' })).toEqual([]);
  });
});
