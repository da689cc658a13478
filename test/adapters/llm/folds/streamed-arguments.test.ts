import fc from 'fast-check';
import { expect, it } from 'vitest';
import { StreamedArguments } from '../../../../src/adapters/llm/folds/streamed-arguments.ts';

function built(...values: object[]): StreamedArguments {
  const streamed = new StreamedArguments();
  streamed.add(values);
  return streamed;
}

const text = (jsonPath: string, stringValue: string, willContinue?: boolean) => ({
  ...{ jsonPath, stringValue },
  ...(willContinue === true && { willContinue }),
});

it('has the beginning of a JSON text at any moment', () => {
  expect(built().json).toBe('');
  const path = text('$.path', 'a"', true);
  expect(built(path).json).toBe('{"path":"a\\"');
  expect(built(path, text('$.path', 'b')).json).toBe('{"path":"a\\"b"');
  expect(built(path, text('$.path', 'b'), { jsonPath: '$.of.at[0]', numberValue: 1 }).json).toBe(
    '{"path":"a\\"b","of":{"at":[1',
  );
});

it('is no arguments where nothing came, and none where there is no JSON text', () => {
  expect(built().end()).toEqual({});
  expect(built({ numberValue: 1 }, { jsonPath: '$' }, { jsonPath: 5, stringValue: 'x' }).end()).toEqual({});
  expect(built({ jsonPath: '$.a', numberValue: 1 }, { jsonPath: '$[0]', numberValue: 1 }).end()).toBeUndefined();
});

it('ends a text that another path follows', () => {
  expect(built(text('$.a', 'x', true), { jsonPath: '$.b', boolValue: true }).end()).toEqual({ a: 'x', b: true });
  expect(built(text('$.a', 'x', true)).end()).toEqual({ a: 'x' });
  expect(built(text('$.a', 'x', true), { jsonPath: '$.a' }).end()).toEqual({ a: 'x' });
});

it('puts a character together that two pieces share', () => {
  const [first, second] = ['😀'.slice(0, 1), '😀'.slice(1)];
  expect(built(text('$.a', first, true), text('$.a', second)).end()).toEqual({ a: '😀' });
});

it('reads names in quotes', () => {
  expect(
    built({ jsonPath: "$['a.b']['it\\'s']", numberValue: 1 }, { jsonPath: '$["c d"]', nullValue: 'NULL_VALUE' }).end(),
  ).toEqual({ 'a.b': { "it's": 1 }, 'c d': null });
});

/** The leaves of a value by their paths, texts in pieces. */
function* leaves(value: unknown, path: string, size: number): Generator<object> {
  if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      const quoted = `['${name.replace(/['\\]/g, '\\$&')}']`;
      yield* leaves(inner, path + (Array.isArray(value) ? `[${name}]` : quoted), size);
    }
  } else if (typeof value === 'string') {
    const points = [...value];
    for (let at = 0; at === 0 || at < points.length; at += size) {
      yield text(path, points.slice(at, at + size).join(''), at + size < points.length);
    }
  } else if (value === null) yield { jsonPath: path, nullValue: 'NULL_VALUE' };
  else yield { jsonPath: path, [typeof value === 'number' ? 'numberValue' : 'boolValue']: value };
}

it('puts any arguments together again', () => {
  const { tree } = fc.letrec((tie) => ({
    leaf: fc.oneof(fc.string({ unit: 'binary' }), fc.integer(), fc.boolean(), fc.constant(null)),
    list: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
    object: fc.dictionary(fc.string({ minLength: 1 }), tie('tree'), { minKeys: 1, maxKeys: 3, noNullPrototype: true }),
    tree: fc.oneof({ maxDepth: 3 }, tie('leaf'), tie('list'), tie('object')),
  }));
  const given = fc.dictionary(fc.string({ minLength: 1 }), tree, { maxKeys: 4, noNullPrototype: true });
  fc.assert(
    fc.property(given, fc.integer({ min: 1, max: 4 }), (args, size) => {
      const whole = built(...leaves(args, '$', size));
      expect(whole.end()).toEqual(args);
      expect(JSON.stringify(args).startsWith(whole.json)).toBe(true);
    }),
  );
});
