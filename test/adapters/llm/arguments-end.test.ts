import fc from 'fast-check';
import { expect, it } from 'vitest';

import { ArgumentsEnd } from '../../../src/adapters/llm/arguments-end.ts';

const objects = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });

it('the end of arguments has come with their last piece, and with none before, wherever they are cut', () => {
  fc.assert(
    fc.property(objects, fc.nat(), (value, at) => {
      const json = JSON.stringify(value);
      const cut = 1 + (at % (json.length - 1));
      const end = new ArgumentsEnd();
      end.add(json.slice(0, cut));
      expect(end.hasCome).toBe(false);
      end.add(json.slice(cut));
      expect(end.hasCome).toBe(true);
    }),
  );
});
