import { expect, it } from 'vitest';

import { Translation } from '../../../src/transcript/dialects/translation.ts';

it('what nobody changed comes back as the object that it was, and a changed copy says what it was made of', () => {
  const translation = new Translation<{ own: number }, { other: number }>();
  const own = { own: 1 };
  const linked = translation.link(own, { other: 1 });
  const copy = { ...linked, other: 2 };
  expect([translation.untouched(linked), translation.untouched(copy)]).toEqual([own, undefined]);
  expect([translation.originOf(linked), translation.originOf(copy), translation.originOf({})]).toEqual([
    own,
    own,
    undefined,
  ]);
  expect(JSON.stringify(copy)).toBe('{"other":2}');
});
