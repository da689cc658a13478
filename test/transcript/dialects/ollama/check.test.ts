import { describe, expect, it } from 'vitest';

import { ollama, type OllamaChatMessage } from '../../../../src/transcript/dialects/ollama/index.ts';

const read = { function: { name: 'read', arguments: {} } };
const list = { function: { name: 'list', arguments: {} } };
const asked = (...tool_calls: object[]): OllamaChatMessage => ({ role: 'assistant', content: '', tool_calls }) as never;
const done = (tool_name?: string, tool_call_id?: string): OllamaChatMessage =>
  ({ role: 'tool', content: 'x', tool_name, tool_call_id }) as never;
const rules = (...messages: OllamaChatMessage[]): string[] => ollama.check(messages).map(({ rule }) => rule);

describe('the rules of Ollama', () => {
  it('results by name, by order and by id answer their calls', () => {
    expect(rules(asked(read, list, read), done('list'), done(), done('read'))).toEqual([]);
    expect(rules(asked({ ...read, id: 'a' }, { ...read, id: 'b' }), done('read', 'b'), done('', 'a'))).toEqual([]);
    expect(rules(asked({ ...read, id: 'a' }, list), done('list', 'a'), done('read', 'a'))).toEqual([]);
  });

  it.each<[rule: string, messages: OllamaChatMessage[]]>([
    ['call-answered', [asked(read)]],
    ['call-answered', [asked(read), { role: 'user', content: 'x' }]],
    ['result-has-call', [done('read')]],
    ['result-has-call', [asked(read), done('read'), done('read')]],
    ['call-name', [asked({ function: { name: '', arguments: {} } }), done()]],
    ['call-arguments', [asked({ function: { name: 'read', arguments: '{}' } }), done('read')]],
    ['message-not-empty', [{ role: 'assistant', content: '' }]],
    ['plain-message', [{ role: 'user', content: [{ type: 'text', text: 'x' }] } as never]],
    ['result-content', [asked(read), { role: 'tool', tool_name: 'read' } as OllamaChatMessage]],
  ])('%s is found', (rule, messages) => {
    expect(rules(...messages)).toEqual([rule]);
  });

  it('reads each of a quarter of a million calls once, by name, by order and by id (G26)', () => {
    const count = 250_000;
    const calls = Array.from({ length: count }, (_, i) => (i % 3 === 2 ? { ...read, id: String(i) } : read));
    const results = calls.map((_, i) => (i % 3 === 2 ? done('', String(i)) : done(i % 3 === 1 ? undefined : 'read')));
    const reply = { ...asked(), tool_calls: calls };
    expect(ollama.check([reply, ...results.reverse()])).toEqual([]);
  });
});
