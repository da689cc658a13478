import { describe, expect, it } from 'vitest';

import { resultFromAnswer, resultFromTranscript } from '../../../../src/transcript/dialects/anthropic/results.ts';

const image = { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } };

describe('a result from an answer', () => {
  it.each<[unknown, unknown]>([
    ['done', 'done'],
    [{ files: 2 }, '{"files":2}'],
    [undefined, ''],
    [[], '[]'],
    [[1, 2], '[1,2]'],
    [[image, { type: 'text', text: '' }], [image]],
    [[image, { kind: 'other' }], JSON.stringify([image, { kind: 'other' }])],
  ])('of the value %j', (value, content) => {
    expect(resultFromAnswer('a', { status: 'completed', value })).toEqual({
      type: 'tool_result',
      tool_use_id: 'a',
      content,
    });
  });

  it('is an error for everything that did not complete', () => {
    expect(resultFromAnswer('a', { status: 'skipped', text: 'Skipped.' })).toEqual({
      type: 'tool_result',
      tool_use_id: 'a',
      content: 'Skipped.',
      is_error: true,
    });
  });
});

describe('a result from the transcript', () => {
  const from = (...blocks: object[]) => {
    const found = blocks.map((block, order) => ({
      result: { type: 'tool_result', tool_use_id: 'a', ...block },
      at: 1,
      order,
    }));
    const made = resultFromTranscript('a', found) as object;
    return Object.fromEntries(Object.entries(made).filter(([key]) => !['type', 'tool_use_id'].includes(key)));
  };

  it('is the block itself if it was legal', () => {
    const block = { type: 'tool_result', tool_use_id: 'a', content: '' };
    expect(resultFromTranscript('a', [{ result: block, at: 1, order: 0 }])).toBe(block);
  });

  it('loses its blank texts', () => {
    expect(from({ content: [image, { type: 'text', text: ' ' }] })).toEqual({ content: [image] });
  });

  it('says why, if it is an error', () => {
    const why = { content: 'This call failed without saying why.', is_error: true };
    expect(from({ content: '', is_error: true })).toEqual(why);
    expect(from({ is_error: true })).toEqual(why);
    expect(from({ content: [{ type: 'text', text: '' }], is_error: true })).toEqual(why);
  });

  it('is one of two, and loses neither', () => {
    expect(from({ content: 'x' }, { content: 'x' })).toEqual({ content: 'x' });
    expect(from({ content: 'still running', is_error: true }, { content: [image] })).toEqual({
      content: [{ type: 'text', text: 'still running' }, image],
      is_error: false,
    });
    expect(from({ content: '', is_error: true }, { content: 'why', is_error: true })).toEqual({
      content: [{ type: 'text', text: 'why' }],
      is_error: true,
    });
  });

  it('takes the new id of its call', () => {
    const block = { type: 'tool_result', tool_use_id: 'a', content: 'x' };
    expect(resultFromTranscript('a_copy2', [{ result: block, at: 1, order: 0 }])).toEqual({
      ...block,
      tool_use_id: 'a_copy2',
    });
  });
});

describe('a value that has a type of its own', () => {
  it.each<[string, readonly object[]]>([
    ['fields of a form', [{ type: 'text', label: 'Name', value: 'Ann' }]],
    ['hits of a search', [{ type: 'search_result', url: 'https://a.example', snippet: 'It was paid.' }]],
    ['entries of a CMS', [{ type: 'document', id: 7, name: 'Contract.pdf' }]],
    ['references', [{ type: 'tool_reference', path: 'a' }]],
    [
      'one that is, and one that is not',
      [
        { type: 'text', text: 'x' },
        { type: 'text', label: 'Name' },
      ],
    ],
  ])('is told as JSON: %s', (_what, value) => {
    expect(resultFromAnswer('a', { status: 'completed', value })).toMatchObject({ content: JSON.stringify(value) });
  });

  it('goes as it is where it is a block of the API', () => {
    const value = [
      { type: 'search_result', source: 'https://a', title: 'A', content: [{ type: 'text', text: 'x' }] },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' } },
      { type: 'tool_reference', tool_name: 'read' },
    ];
    expect(resultFromAnswer('a', { status: 'completed', value })).toMatchObject({ content: value });
  });
});
