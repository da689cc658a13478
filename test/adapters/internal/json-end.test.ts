import fc from 'fast-check';
import { expect, it } from 'vitest';

import { JsonEnd } from '../../../src/adapters/internal/json-end.ts';

const objects = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });

function after(...pieces: readonly string[]): JsonEnd {
  const end = new JsonEnd();
  for (const piece of pieces) end.add(piece);
  return end;
}

it('the end of an object has come with its last piece, and with none before, wherever it is cut', () => {
  fc.assert(
    fc.property(objects, fc.nat(), (value, at) => {
      const json = JSON.stringify(value);
      const cut = 1 + (at % (json.length - 1));
      const end = after(json.slice(0, cut));
      expect(end.hasCome).toBe(false);
      end.add(json.slice(cut));
      expect(end.hasCome).toBe(true);
    }),
  );
});

it.each([
  ['', '{}'],
  [' ', '{}'],
  ['{"to', '":null}'],
  ['{"to"', ':null}'],
  ['{"to":', 'null}'],
  ['{"to":"Ann', '"}'],
  ['{"to":"Ann"', '}'],
  ['{"to":"Ann\\', '\\"}'],
  ['{"to":"\\u00', '00"}'],
  ['{"to":[1,', 'null]}'],
  ['{"to":["a","b', '"]}'],
  ['{"to":{"a":tr', 'ue}}'],
  ['{"to":-', '0}'],
  ['{"a":1 ', '}'],
  ['{"a":1,', '"":null}'],
  ['{"a":"}"', '}'],
  ['{"to":"Ann"}', ''],
])('the rest of %s is %s', (json, rest) => {
  expect(after(json).rest).toBe(rest);
});

it('wherever JSON is cut, its rest makes it whole, in whatever pieces it has come', () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.nat(), fc.constantFrom(0, 1), (compact, at, between, indent) => {
      const json = JSON.stringify(JSON.parse(compact), null, indent);
      const cut = json.slice(0, at % (json.length + 1));
      const middle = between % (cut.length + 1);
      const { rest } = after(cut.slice(0, middle), cut.slice(middle));
      expect(() => void JSON.parse(cut + rest)).not.toThrow();
      if (cut === json) expect(rest).toBe('');
    }),
  );
});
