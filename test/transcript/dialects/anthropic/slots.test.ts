import { describe, expect, it } from 'vitest';

import type { AnthropicMessage } from '../../../../src/transcript/dialects/anthropic/message.ts';
import { readSlots } from '../../../../src/transcript/dialects/anthropic/slots.ts';

const search = (id: string) => ({ type: 'server_tool_use', id });
const found = (id: string) => ({ type: 'web_search_tool_result', tool_use_id: id });
const text = { type: 'text', text: 'x' };

function read(messages: readonly { role: string; content: unknown; cut?: boolean }[]) {
  const entries = messages.map(({ cut, ...message }) => ({
    message: message as AnthropicMessage,
    cut: cut === true ? { by: { kind: 'user' as const }, isWhole: false } : undefined,
  }));
  const slots = readSlots(entries);
  const sites = slots.flatMap(({ parts }) => parts.flatMap(({ site }) => site ?? []));
  return { types: slots.map((slot) => slot.parts.map((part) => part.block.type).join()), sites, slots };
}

describe('readSlots', () => {
  it('takes out what is illegal in itself', () => {
    const content = [
      { type: 'text', text: ' ' },
      { type: 'thinking', thinking: 'half' },
      { type: 'tool_use', id: '', name: 'x' },
      { type: 'tool_use', id: 'a', name: 'x' },
      { type: 'tool_use', id: 'a', name: 'x' },
      text,
    ];
    expect(read([{ role: 'assistant', content }]).types).toEqual(['tool_use,text']);
  });

  it('one result stays of what the provider ran, here or before', () => {
    const content = [search('a'), found('a'), found('a'), found('b'), found('b'), found('c')];
    const begun = { has: (id: unknown) => id !== 'c' };
    const [slot] = readSlots([{ message: { role: 'assistant', content }, cut: undefined }], begun);
    expect(slot?.parts.map(({ block }) => block)).toEqual([content[0], content[1], content[3]]);
  });

  it('links results to their calls and takes them out of their messages', () => {
    const { sites, types, slots } = read([
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'read' }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: 'a' }, { type: 'tool_result', tool_use_id: 'b' }, text],
      },
    ]);
    expect(sites).toMatchObject([{ id: 'a', name: 'read', at: 0, results: [{ at: 1, order: 0 }] }]);
    expect(types).toEqual(['tool_use', 'text']);
    expect(slots.map((slot) => slot.heldResults)).toEqual([false, true]);
  });

  it.each([
    [
      'answered',
      [
        { role: 'assistant', content: [search('s'), found('s')] },
        { role: 'user', content: [text] },
      ],
      ['server_tool_use,web_search_tool_result', 'text'],
    ],
    ['still running', [{ role: 'assistant', content: [text, search('s')] }], ['text,server_tool_use']],
    [
      'still running beside our tool',
      [
        { role: 'assistant', content: [search('s')] },
        { role: 'user', content: [{ type: 'tool_result' }] },
      ],
      ['server_tool_use', ''],
    ],
    [
      'answered twice',
      [{ role: 'assistant', content: [search('s'), found('s'), found('s')] }],
      ['server_tool_use,web_search_tool_result'],
    ],
    ['unknown', [{ role: 'assistant', content: [found('s'), text] }], ['text']],
  ])('knows a server call that is %s', (_what, messages, types) => {
    expect(read(messages).types).toEqual(types);
  });
});
