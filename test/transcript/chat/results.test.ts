import { describe, expect, it } from 'vitest';

import { resultFromAnswer, resultFromTranscript } from '../../../src/transcript/chat/results.ts';

const part = { type: 'text', text: 'x' };

it.each<[unknown, unknown]>([
  ['done', 'done'],
  [{ files: 2 }, '{"files":2}'],
  [undefined, ''],
  [[part], [part]],
  [[part, { type: 'image' }], JSON.stringify([part, { type: 'image' }])],
  [[], '[]'],
])('makes a tool message of the value %j', (value, content) => {
  expect(resultFromAnswer('a', { status: 'completed', value })).toEqual({ role: 'tool', tool_call_id: 'a', content });
});

it('makes a tool message of words', () => {
  expect(resultFromAnswer('a', { status: 'skipped', text: 'Skipped.' })).toEqual({
    role: 'tool',
    tool_call_id: 'a',
    content: 'Skipped.',
  });
});

describe('a result from the transcript', () => {
  const from = (...contents: unknown[]) => {
    const found = contents.map((content, order) => ({
      result: { role: 'tool', tool_call_id: 'a', content } as never,
      at: 1,
      order,
    }));
    return resultFromTranscript(found).content;
  };

  it('is the message itself if it was legal', () => {
    const result = { role: 'tool', content: '' } as const;
    expect(resultFromTranscript([{ result, at: 1, order: 0 }])).toBe(result);
  });

  it('has content', () => {
    expect([null, undefined, []].map((content) => from(content))).toEqual(['', '', '']);
  });

  it('is one of two, and loses neither', () => {
    expect(from('x', 'x')).toBe('x');
    expect(from('still running', '', 'done')).toBe('still running\n\ndone');
    expect(from('y', [part], '')).toEqual([{ type: 'text', text: 'y' }, part]);
  });
});
