import { describe, expect, it } from 'vitest';

import { completedContent, joinContents } from '../../../src/transcript/words/text-content.ts';

const completed = (value: unknown, note?: string, content?: unknown) =>
  ({ status: 'completed', value, note, content }) as never;
const text = (said: string) => ({ type: 'text', text: said });

describe('completedContent', () => {
  it('completedContent passes text parts on, as a copy, and says a note behind them', () => {
    const parts = [text('a'), text('b')];
    expect(completedContent(completed(parts))).toEqual(parts);
    expect(completedContent(completed(parts))).not.toBe(parts);
    expect(completedContent(completed(parts, 'late'))).toEqual([...parts, text('late')]);
  });

  it('completedContent makes a text of everything else, also of a list that is not all text', () => {
    expect(completedContent(completed('plain'))).toBe('plain');
    expect(completedContent(completed({ a: 1 }))).toBe('{"a":1}');
    expect(completedContent(completed([]))).toBe('[]');
    expect(typeof completedContent(completed([text('a'), { type: 'other' }]))).toBe('string');
  });

  it('completedContent says a failure as the format says one', () => {
    const failed = completed(undefined, undefined, { parts: [text('no disk')], isError: true });
    expect(completedContent(failed)).toBe('no disk');
    expect(completedContent(failed, (said) => `failed: ${said}`)).toBe('failed: no disk');
  });
});

describe('joinContents', () => {
  it('joinContents leaves one content, and the same one twice, as it is', () => {
    const parts = [text('a')];
    expect(joinContents([parts])).toBe(parts);
    expect(joinContents([parts, [text('a')]])).toBe(parts);
  });

  it('joinContents keeps the order, each once, and no empty text', () => {
    expect(joinContents(['a', '', 'b', 'a'])).toBe('a\n\nb');
    expect(joinContents(['a', [text('b')], ''])).toEqual([text('a'), text('b')]);
  });
});
