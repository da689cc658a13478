import { describe, expect, it } from 'vitest';

import { checkTranscript } from '../../../../src/transcript/index.ts';
import {
  openaiResponses,
  type OpenAIResponsesItem,
} from '../../../../src/transcript/dialects/openai-responses/index.ts';

type Item = OpenAIResponsesItem & Readonly<Record<string, unknown>>;

const hello: Item = { role: 'user', content: 'Hello' };
const says: Item = { role: 'assistant', content: 'Hi.' };
const call = (call_id: string, more: object = {}): Item => ({
  type: 'function_call',
  call_id,
  name: 'read',
  arguments: '{}',
  ...more,
});
const output = (call_id: string, value: unknown = 'ok'): Item => ({
  type: 'function_call_output',
  call_id,
  output: value,
});
const reasoning: Item = { type: 'reasoning', id: 'rs_1', summary: [] };
const custom: Item = { type: 'custom_tool_call', call_id: 'c', name: 'sh', input: 'ls (' };
const shell: Item = { type: 'shell_call', call_id: 's', action: { commands: ['ls'] } };
const chunk = { stdout: '', stderr: '', outcome: { type: 'exit', exit_code: 0 } };
const patch: Item = { type: 'apply_patch_call', call_id: 'p', operation: { type: 'delete_file', path: 'a' } };

function check(...items: Item[]): string[] {
  return checkTranscript(items, { dialect: openaiResponses }).map(({ at, rule }) => `${String(at)} ${rule}`);
}

describe('a legal history', () => {
  it.each<[string, Item[]]>([
    ['talk', [{ role: 'developer', content: 'x' }, hello, says]],
    ['parallel calls, answered in any order and place', [call('a'), call('b'), output('b'), hello, output('a')]],
    ['an id that comes again in another round', [call('a'), output('a'), call('a'), output('a', '')]],
    ['reasoning with what it led to', [reasoning, call('a'), output('a'), { ...reasoning, id: 'rs_2' }, says]],
    [
      'each call with its own kind of output',
      [
        custom,
        { type: 'custom_tool_call_output', call_id: 'c', output: [{ type: 'input_text', text: 'x' }] },
        shell,
        { type: 'shell_call_output', call_id: 's', output: [chunk] },
        patch,
        { type: 'apply_patch_call_output', call_id: 'p', status: 'failed', output: 'no' },
        { type: 'local_shell_call', id: 'lsh', call_id: 'l', action: { type: 'exec' } },
        { type: 'local_shell_call_output', id: 'l', output: 'ok' },
      ],
    ],
    ['a hosted tool', [hello, { type: 'web_search_call', id: 'ws_1', status: 'completed' }, says]],
  ])('%s', (_what, items) => {
    expect(check(...items)).toEqual([]);
  });
});

describe('each rule finds its breach', () => {
  it.each<[string, Item[]]>([
    ['0 call-answered', [call('a')]],
    ['1 call-answered', [call('b'), call('a'), output('b'), hello]],
    ['0 call-answered', [shell, { role: 'user', content: 'x' }]],
    ['0 result-has-call', [output('a')]],
    ['0 result-has-call', [output('a'), call('a'), output('a')]],
    ['2 one-result-per-call', [call('a'), output('a'), output('a')]],
    ['1 output-kind', [custom, output('c')]],
    ['1 output-kind', [shell, { type: 'custom_tool_call_output', call_id: 's', output: 'x' }]],
    ['1 output-kind', [patch, output('p')]],
    ['0 call-id', [call('a', { name: '' }), output('a')]],
    ['1 call-id', [call('a'), call('a'), output('a')]],
    ['0 id-length', [call('c'.repeat(65)), output('c'.repeat(65))]],
    ['0 name-characters', [call('a', { name: 'fs.read' }), output('a')]],
    ['0 call-arguments', [call('a', { arguments: '{"pa' }), output('a')]],
    [
      '0 call-arguments',
      [
        { ...shell, action: undefined },
        { type: 'shell_call_output', call_id: 's', output: [chunk] },
      ],
    ],
    ['0 reasoning-followed', [reasoning]],
    ['0 reasoning-followed', [reasoning, hello]],
    ['1 reasoning-followed', [call('a'), reasoning, output('a')]],
    ['2 item-id', [{ ...says, id: 'msg_1' }, hello, { ...says, id: 'msg_1' }]],
    ['0 message-not-empty', [{ type: 'message', role: 'assistant', content: [] }]],
    ['0 message-not-empty', [{ role: 'assistant', content: [{ type: 'output_text', text: '' }] }]],
    ['1 result-content', [call('a'), output('a', null)]],
    ['1 result-content', [call('a'), output('a', [])]],
    ['1 result-content', [shell, { type: 'shell_call_output', call_id: 's', output: 'ok' }]],
    ['1 result-content', [patch, { type: 'apply_patch_call_output', call_id: 'p', output: 'ok' }]],
  ])('%s', (violation, items) => {
    expect(check(...items)).toContain(violation);
  });
});
