import { describe, expect, it } from 'vitest';

import { agentsTurns, listPart, outputOf, plainItem } from '../../../../src/transcript/dialects/openai-agents/item.ts';

const part = { type: 'output_text', text: 'Hi.' };

describe('an item of OpenAI Agents', () => {
  it('is the same object if it is as the SDK takes it', () => {
    const items = [
      { role: 'user', content: 'x' },
      { role: 'assistant', status: 'incomplete', content: [part] },
      { type: 'reasoning', providerData: { status: null } },
    ];
    expect(items.every((item) => plainItem(item) === item)).toBe(true);
  });

  it('gets what the SDK wants of a message, and loses what a request may not hold', () => {
    const message = { type: 'message', role: 'assistant', status: 'completed', content: [part] };
    expect(plainItem({ type: 'message', role: 'assistant', content: 'Hi.' } as object)).toEqual(message);
    expect(plainItem({ role: 'assistant', content: null } as object)).toMatchObject({ content: [] });
    expect(plainItem({ role: 'assistant', status: 5, content: [] } as object)).toMatchObject({ status: 'completed' });
    const data = { encrypted_content: 'x' };
    const reasoning = { type: 'reasoning', content: [], providerData: { ...data, status: 'completed' } };
    expect(plainItem(reasoning)).toEqual({ type: 'reasoning', content: [], providerData: data });
  });

  it('has its output as a text or as a list, in a list only what is meant as input', () => {
    const image = { type: 'image', image: { url: 'https://x.test/a.png' }, detail: 'low' };
    expect([outputOf('a'), outputOf({ type: 'text', text: 'b' }), outputOf(image), outputOf([part])]).toEqual([
      'a',
      'b',
      [image],
      [part],
    ]);
    expect(listPart(image)).toEqual({ type: 'input_image', image: 'https://x.test/a.png', detail: 'low' });
    expect(listPart({ type: 'image', image: { data: 'QQ==', mediaType: 'image/gif' } })).toEqual({
      type: 'input_image',
      image: 'data:image/gif;base64,QQ==',
    });
    expect(listPart({ type: 'file', file: { id: 'file-1' } })).toEqual({ type: 'input_file', file: { id: 'file-1' } });
    expect(listPart({ type: 'input_image', detail: 'auto', image_url: 'data:x' })).toEqual({
      type: 'input_image',
      image: 'data:x',
    });
    expect(listPart({ type: 'text', text: 'b' })).toEqual({ type: 'input_text', text: 'b' });
  });

  it('is a prompt if the user wrote it', () => {
    const items = [{ role: 'user' }, { role: 'system' }, { role: 'assistant' }, { type: 'function_call' }];
    expect(items.map((item) => agentsTurns.isPrompt(item))).toEqual([true, false, false, false]);
    expect(items.map((item) => agentsTurns.isReply(item))).toEqual([false, false, true, false]);
  });
});
