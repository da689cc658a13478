import { describe, expect, it } from 'vitest';

import type { ToolOutcome } from '../../../../src/index.ts';
import { ollama } from '../../../../src/transcript/dialects/ollama/index.ts';
import { repairWith } from '../../support/repair-with.ts';
import { cutReply } from '../../support/cut-reply.ts';

const call = (name: string, id?: string): object => ({
  ...(id === undefined ? {} : { id }),
  function: { name, arguments: {} },
});
const prompt = { role: 'user', content: 'Go.' };
const asked = (...tool_calls: object[]) => ({ role: 'assistant', content: '', tool_calls });
const row = (id: string, name: string, value: string): ToolOutcome => ({
  id,
  name,
  call: undefined,
  ms: 1,
  status: 'completed',
  value,
});

describe('settling Ollama', () => {
  it('S17 a result without a name that goes up to its call says whose it is', () => {
    const result = { role: 'tool', tool_name: 'read', content: 'text' };
    const calls = [call('read'), call('list'), call('read')];
    const history = [asked(...calls), result, result, { role: 'assistant' }, { role: 'tool', content: 'files' }];
    const { messages } = repairWith(history, { dialect: ollama });
    expect(messages.slice(1)).toEqual([result, { role: 'tool', tool_name: 'list', content: 'files' }, result]);
    expect(repairWith(messages, { dialect: ollama }).changes).toEqual([]);
  });

  it('S17 calls to which the server gave one id have the rows that each is asked for', () => {
    const calls = [call('read', 'call_0'), call('list', 'call_0')];
    const outcomeOf = ({ name }: { readonly name: string }) => row('', name, name === 'read' ? 'text' : 'files');
    const { messages, changes } = repairWith([prompt, asked(...calls)], { dialect: ollama, outcomeOf });
    expect(messages.slice(2)).toEqual([
      { role: 'tool', tool_name: 'read', tool_call_id: 'call_0', content: 'text' },
      { role: 'tool', tool_name: 'list', tool_call_id: 'call_0', content: 'files' },
    ]);
    expect(changes.map(({ rule }) => rule)).toEqual(['call-answered', 'call-answered']);
  });

  it('S17 each call without an id has one result of its own', () => {
    const messages = [prompt, asked(call('read'), call('list'), call('read'))];
    const outcomes = [row('read#2', 'read', 'second'), row('list#1', 'list', 'files')];
    const { messages: settled, changes } = repairWith(messages, { dialect: ollama, outcomes });
    expect(settled.slice(0, 2).every((message, i) => message === messages[i])).toBe(true);
    expect(settled.slice(2)).toMatchObject([
      { role: 'tool', tool_name: 'read', content: expect.stringContaining('No result was recorded') as string },
      { role: 'tool', tool_name: 'list', content: 'files' },
      { role: 'tool', tool_name: 'read', content: 'second' },
    ]);
    expect(changes.map(({ rule }) => rule)).toEqual(['call-answered', 'call-answered', 'call-answered']);
  });

  it('a result keeps its bytes, and loses an id that is of another call', () => {
    const result = { role: 'tool', tool_name: 'list', tool_call_id: 'a', content: 'files' };
    const messages = [prompt, asked(call('read', 'a'), call('list')), result];
    const { messages: settled, changes } = repairWith(messages, { dialect: ollama });
    expect(changes.map(({ rule }) => rule)).toEqual(['call-answered', 'goes-with-others']);
    expect(settled.at(-1)).toEqual({ role: 'tool', tool_name: 'list', content: 'files' });
  });

  it('a cut reply is told in its own words', () => {
    const message = { role: 'assistant', content: 'Hel' };
    expect(cutReply(ollama, { message, done: false })).toEqual([
      { role: 'assistant', content: 'Hel\n\n[This reply was cut off before its end: the user cancelled.]' },
    ]);
    expect(cutReply(ollama, { message, done: true })).toEqual([message]);
  });

  it('gives rows their calls in time with their number, also from the last to the first (G26)', () => {
    const raw = { function: { name: 'read', arguments: {} } };
    const cost = (count: number): number => {
      const numbers = Array.from({ length: count }, (_, i) => i + 1);
      const row = (n: number) => ({
        id: `read#${String(n)}`,
        name: 'read',
        call: {},
        ms: 1,
        status: 'completed',
        value: n,
      });
      const outcomes = numbers.map(row).reverse() as never[];
      const batch = [{ role: 'assistant', content: '', tool_calls: numbers.map(() => raw) }];
      const before = process.cpuUsage();
      const { messages } = repairWith(batch, { dialect: ollama, outcomes });
      expect((messages[count] as { content?: string }).content).toBe(String(count));
      return process.cpuUsage(before).user;
    };
    cost(2_000);
    // Each beside the other, for the load of the machine is that of the moment; what garbage adds to one it does not add to all.
    const ratios = [1, 2, 3].map(() => cost(32_000) / Math.min(cost(2_000), cost(2_000)));
    // Sixteen times as many: a search through the rest for each would take a hundred times as long.
    expect(Math.min(...ratios)).toBeLessThan(45);
  }, 30_000);
});
