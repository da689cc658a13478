import { EventEmitter } from 'node:events';
import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import {
  changed,
  isPlain,
  plainParts,
  replaceFunction,
  replaceMethods,
  type Around,
  withField,
} from '../../src/guard/shapes.ts';

/** Says what came through, and passes it on. */
function recorder() {
  const seen: unknown[] = [];
  const around: Around = (method, args, self) => {
    seen.push(self);
    return `guarded ${String(Reflect.apply(method, self, args))}`;
  };
  return { seen, around };
}

class Counter {
  #count = 0;
  readonly label = 'counter';
  get count(): number {
    return this.#count;
  }
  run(by: number): number {
    return (this.#count += by);
  }
  reset(): void {
    this.#count = 0;
  }
}

class Runner {
  run(text: string): string {
    return text;
  }
  batch(texts: readonly string[]): string[] {
    return texts.map((text) => this.run(text));
  }
}

describe('an object literal', () => {
  it('an object literal is copied, with prototype, fields, getters and symbols', () => {
    const { around } = recorder();
    const mark = Symbol('mark');
    const tool = { n: 2, [mark]: true, get double() { return this.n * 2; }, run: (a: number) => a }; // prettier-ignore
    const copy = replaceMethods(tool, ['run', 'call'], around);
    expect(copy).toMatchObject({ n: 2, double: 4 });
    expect([copy?.[mark], Object.getPrototypeOf(copy), Object.keys(copy ?? {})]).toEqual([
      true,
      Object.prototype,
      Object.keys(tool),
    ]);
    expect({ ...copy }.run?.(1)).toBe('guarded 1');
    expect(tool.run(1)).toBe(1);
  });

  it('an object literal may be frozen', () => {
    const { around, seen } = recorder();
    const tool = Object.freeze({ name: 'frozen', run() { return this.name; } }); // prettier-ignore
    expect(replaceMethods(tool, ['run'], around)?.run()).toBe('guarded frozen');
    expect(seen).toEqual([tool]);
  });

  it('an object literal without such a method is nothing to guard', () => {
    expect(replaceMethods({ run: 1, other: () => 1 }, ['run'], recorder().around)).toBeUndefined();
  });
});

describe('an instance of a class', () => {
  it('an instance of a class keeps its type, and private fields in every method and getter', () => {
    const { around, seen } = recorder();
    const counter = new Counter();
    const copy = replaceMethods(counter, ['run'], around) as Counter;
    expect(copy).toBeInstanceOf(Counter);
    expect(copy.run(3)).toBe('guarded 3');
    expect(seen).toEqual([counter]);
    expect([copy.count, copy.label, copy.constructor]).toEqual([3, 'counter', Counter]);
    copy.reset();
    expect(counter.count).toBe(0);
    expect(copy.run).toBe(copy.run);
    expect(copy.reset).toBe(copy.reset);
  });

  it('an instance of a class goes through the guard also from its own other methods, where nothing is private', () => {
    const copy = replaceMethods(new Runner(), ['run'], recorder().around);
    expect(copy?.batch(['a', 'b'])).toEqual(['guarded a', 'guarded b']);
  });

  it('an instance of a class may be a proxy that makes its methods up', () => {
    const made = new Proxy({}, { get: (_target, name) => (name === 'run' ? () => 'made up' : undefined) });
    const copy = replaceMethods(made, ['run', 'call'], recorder().around) as { run(): string };
    expect(copy.run()).toBe('guarded made up');
  });

  it('an instance of a class passes `this` on where the method was borrowed', () => {
    const { around, seen } = recorder();
    const copy = replaceMethods(new Runner(), ['run'], around) as Runner;
    const other = { run: copy.run };
    other.run('a');
    expect(seen).toEqual([other]);
  });
});

describe('a function', () => {
  it('a function keeps its name, its length and what hangs on it', () => {
    const { around, seen } = recorder();
    const handler = Object.assign(function add(a: number, b: number) { return a + b; }, { schema: 'x' }); // prettier-ignore
    const copy = replaceFunction(handler as never, around) as typeof handler;
    expect([copy.name, copy.length, copy.schema]).toEqual(['add', 2, 'x']);
    expect(copy(1, 2)).toBe('guarded 3');
    expect(seen).toEqual([undefined]);
  });
});

describe('the parts of a value', () => {
  const part = { n: 1 };
  const value = Object.defineProperty({ part, list: [part], counter: new Counter(), text: 'x' }, 'asked', {
    enumerable: true,
    get() {
      throw new Error('asked');
    },
  });

  it('the parts of a value are its plain objects, and no getter is asked for one', () => {
    expect([...plainParts(value)]).toEqual([['part', part]]);
    expect([new Counter(), [part], 'x', null].map((each) => plainParts(each).size)).toEqual([0, 0, 0, 0]);
  });

  it('the parts of a value are changed in a copy, and what nobody changes is itself', () => {
    expect(changed(value, (each) => each)).toBe(value);
    const own = changed(value, (each) => (each === part ? { n: 2 } : each)) as typeof value;
    expect([own.part, own.list[0], value.part]).toEqual([{ n: 2 }, part, part]);
    expect(changed('x', () => ({}))).toBe('x');
  });
});

describe('an object with a field of its own', () => {
  class Emitter extends EventEmitter {
    signal = 'theirs';
    heard(): string {
      return this.signal;
    }
  }

  it.each<[string, () => { signal: string; heard(): string }]>([
    ['a literal', () => ({ signal: 'theirs', heard() { return this.signal; } })], // prettier-ignore
    ['an instance', () => new Emitter()],
  ])('an object with a field of its own, as %s, is read with it and written to as itself', (_what, make) => {
    const object: Record<string, unknown> & { heard(): string } = Object.assign(make(), {});
    const own = withField(object, 'signal', 'own') as typeof object;
    expect([own['signal'], own.heard(), { ...own }['signal'], object['signal']]).toEqual([
      'own',
      'own',
      'own',
      'theirs',
    ]);
    expect([Object.getPrototypeOf(own), Object.keys(own)]).toEqual([
      Object.getPrototypeOf(object),
      Object.keys(object),
    ]);
    own['result'] = 'r';
    expect(object['result']).toBe('r');
    own['signal'] = 'written';
    expect([own['signal'], object['signal']]).toEqual(['written', 'written']);
    const less = withField(object, 'signal', 'own') as typeof object;
    delete less['signal'];
    expect([less['signal'], 'signal' in object]).toEqual([undefined, false]);
  });

  it.each<[string, object]>([
    ['private fields', new Counter()],
    ['the state of a platform class', new AbortController()],
    ['what it inherits of one', Object.assign(new (class extends Map<string, string> {})(), { signal: 'theirs' })],
  ])('an object with a field of its own is itself where it has %s', (_what, object) => {
    expect(withField(object, 'signal', 'own')).toBe(object);
  });

  it.each([{ signal: 'theirs', n: 1 }, Object.assign(new Runner(), { signal: 'theirs', n: 1 })])(
    'an object with a field of its own may be frozen',
    (object) => {
      const own = withField(Object.freeze(object), 'signal', 'own') as typeof object;
      expect([own.signal, own.n, Object.getPrototypeOf(own) as unknown]).toEqual(['own', 1, expect.anything()]);
    },
  );

  it('an object of another realm is plain where a literal is', () => {
    const made: unknown[] = runInNewContext('[{}, Object.create(null), [], new (class A {})(), new Map()]') as never;
    expect(made.map((each) => isPlain(each as object))).toEqual([true, true, false, false, false]);
    const theirs: unknown = runInNewContext('({ mcpReq: { id: 1 } })');
    expect([...plainParts(theirs).keys()]).toEqual(['mcpReq']);
  });
});
