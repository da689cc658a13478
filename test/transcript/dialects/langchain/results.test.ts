import { describe, expect, it } from 'vitest';

import {
  isLegal,
  resultFromAnswer,
  resultFromTranscript,
} from '../../../../src/transcript/dialects/langchain/results.ts';

import { toolContent } from '../../../../src/transcript/words/values.ts';

const site = { id: 'a', name: 'read', at: 0, results: [] };
const base = { role: 'tool', tool_call_id: 'a', name: 'read' };
const text = (words: string) => ({ type: 'text', text: words });

it.each<[unknown, unknown]>([
  ['x', 'x'],
  [{ a: 1 }, '{"a":1}'],
  [[text('x')], [text('x')]],
  [[], '[]'],
  [undefined, ''],
])('the value %j becomes the content %j', (value, content) => {
  expect(resultFromAnswer(site, { status: 'completed', value })).toEqual({ ...base, content, status: 'success' });
});

it('an answer in words is an error', () => {
  expect(resultFromAnswer(site, { status: 'stopped', text: 'x' })).toEqual({ ...base, content: 'x', status: 'error' });
});

describe('resultFromTranscript', () => {
  const join = (...messages: object[]) =>
    resultFromTranscript(messages.map((more, order) => ({ result: { ...base, ...more }, at: 1, order })));

  it.each<[object[], object]>([
    [[{ content: 'x' }], { content: 'x' }],
    [[{}], { content: '' }],
    [[{ content: [] }], { content: '' }],
    [[{ content: 'x' }, { content: 'x' }], { content: 'x' }],
    [[{ content: 'x' }, { content: 'y' }], { content: 'x\n\ny' }],
    [
      [{ content: 'x' }, { content: '' }, { content: [{ type: 'image' }] }],
      { content: [text('x'), { type: 'image' }] },
    ],
    [
      [
        { content: 'x', status: 'error' },
        { content: 'y', status: 'success' },
      ],
      { content: 'x\n\ny', status: 'success' },
    ],
  ])('of %j is %j', (messages, joined) => {
    expect(join(...messages)).toEqual({ ...base, ...joined });
  });

  it('keeps a legal one as it is', () => {
    const result = { ...base, content: 'x' };
    expect(resultFromTranscript([{ result, at: 1, order: 0 }])).toBe(result);
    expect([isLegal(result), isLegal(base)]).toEqual([true, false]);
  });
});

describe('a tool’s pictures', () => {
  const text = { type: 'text', text: 'Seen:' };
  const url = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } };
  const contentOf = (value: unknown, note?: string): unknown =>
    (resultFromAnswer({ id: 'a', name: 'look' }, { status: 'completed', value, note }) as { content: unknown }).content;

  it.each([
    url,
    { type: 'image', source_type: 'base64', mime_type: 'image/png', data: 'iVBO' },
    { type: 'image', source_type: 'url', url: 'https://a' },
    { type: 'image', mimeType: 'image/png', data: 'iVBO' },
    { type: 'image', url: 'https://a' },
  ])('go to the model as they are: %j', (picture) => {
    expect(contentOf([text, picture])).toEqual([text, picture]);
    expect(contentOf([picture], 'It ended late.')).toEqual([picture, { type: 'text', text: 'It ended late.' }]);
  });

  it('of MCP are given as LangChain’s own tools of MCP give them', () => {
    const content = [
      { type: 'text', text: 'Seen:' },
      { type: 'image', data: 'iVBO', mimeType: 'image/png' },
    ];
    expect(contentOf(undefined)).toBe('');
    const read = (more: object = {}): unknown => {
      const value = { content, ...more };
      return (
        resultFromAnswer(
          { id: 'a', name: 'look' },
          { status: 'completed', value, content: toolContent(value) },
        ) as unknown as { content: unknown }
      ).content;
    };
    expect(read()).toEqual([text, url]);
    expect(read({ isError: true })).toBe('Seen:\n[image/png]');
  });

  it.each([
    [{ type: 'image', name: 'a.png' }],
    [{ type: 'image_url', href: 'https://a' }],
    [{ type: 'image', source_type: 'base64' }],
    [text, { type: 'file', name: 'a' }],
    [7],
  ])('are told from what only has their type: %j', (...value) => {
    expect(contentOf(value)).toBe(JSON.stringify(value));
  });
});
