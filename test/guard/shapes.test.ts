import { runInNewContext } from 'node:vm';

import { describe, expect, it } from 'vitest';

import {
  changed as allChanged,
  isPlain,
  literalsIn,
  replaceFunction,
  replaceMethods,
  type Around,
} from '../../src/guard/shapes.ts';

const changed = (value: unknown, otherwise: Parameters<typeof allChanged>[1]) => allChanged([value], otherwise)[0];

/** Says what came through, and passes it on. */
function recorder() {
  const seen: unknown[] = [];
  const around: Around = (method, args, self) => {
    seen.push(self);
    return `guarded ${String(Reflect.apply(method, self, args))}`;
  };
  return { seen, around };
}

const each = (around: Around) => ({ run: around, call: around });

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
    const copy = replaceMethods(tool, each(around));
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
    expect(replaceMethods(tool, each(around))?.run()).toBe('guarded frozen');
    expect(seen).toEqual([tool]);
  });

  it('an object literal without such a method is nothing to guard', () => {
    expect(replaceMethods({ run: 1, other: () => 1 }, each(recorder().around))).toBeUndefined();
  });
});

describe('an instance of a class', () => {
  it('an instance of a class keeps its type, and private fields in every method and getter', () => {
    const { around, seen } = recorder();
    const counter = new Counter();
    const copy = replaceMethods(counter, each(around)) as Counter;
    expect(copy).toBeInstanceOf(Counter);
    expect(copy.run(3)).toBe('guarded 3');
    expect(seen).toEqual([counter]);
    expect([copy.count, copy.label, copy.constructor]).toEqual([3, 'counter', Counter]);
    copy.reset();
    expect(counter.count).toBe(0);
    expect(copy.run).toBe(copy.run);
    expect(copy.reset).toBe(copy.reset);
  });

  it('an instance of a class is itself inside its own methods, and what they call is a part of them', () => {
    const copy = replaceMethods(new Runner(), each(recorder().around));
    expect(copy?.batch(['a', 'b'])).toEqual(['a', 'b']);
  });

  it('an instance of a class keeps a state that only its own methods know of', () => {
    const states = new WeakMap<object, string>();
    class Lowered {
      constructor() {
        states.set(this, 'kept');
      }
      run(): string {
        return this.state();
      }
      state(): string {
        return states.get(this) ?? 'lost';
      }
    }
    const copy = replaceMethods(new Lowered(), each(recorder().around));
    expect([copy?.run(), copy?.state()]).toEqual(['guarded kept', 'kept']);
  });

  it('an instance of a class has what hangs on its methods, and methods that it is given later', () => {
    class Typed extends Runner {
      declare schema: (() => string) & { kind: string };
    }
    Typed.prototype.schema = Object.assign(() => 'parsed', { kind: 'text' });
    const runner = new Typed();
    const copy = replaceMethods(runner, each(recorder().around)) as Typed;
    expect([copy.schema(), copy.schema.kind, copy.run.name, copy.run.length]).toEqual(['parsed', 'text', 'run', 1]);
    runner.batch = () => ['later'];
    expect(copy.batch([])).toEqual(['later']);
  });

  it('an instance of a class may be frozen, also where its method is a field', () => {
    class Fixed {
      readonly #state = 'kept';
      readonly label = 'fixed';
      readonly run = (): string => this.#state;
      constructor() {
        Object.freeze(this);
      }
      state(): string {
        return this.#state;
      }
    }
    const copy = replaceMethods(new Fixed(), each(recorder().around)) as Fixed;
    expect([copy.run(), copy.state(), copy.label, Object.keys(copy)]).toEqual([
      'guarded kept',
      'kept',
      'fixed',
      ['label', 'run'],
    ]);
    expect(copy).toBeInstanceOf(Fixed);
  });

  it('an instance of a class may be a proxy that makes its methods up', () => {
    const made = new Proxy({}, { get: (_target, name) => (name === 'run' ? () => 'made up' : undefined) });
    const copy = replaceMethods(made, each(recorder().around)) as { run(): string };
    expect(copy.run()).toBe('guarded made up');
  });

  it('an instance of a class passes `this` on where the method was borrowed', () => {
    const { around, seen } = recorder();
    const copy = replaceMethods(new Runner(), each(around)) as Runner;
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
    expect([...literalsIn([value]).keys()]).toEqual([value, part]);
    expect([new Counter(), [part], 'x', null].map((each) => literalsIn([each]).size)).toEqual([0, 0, 0, 0]);
  });

  it('the parts of a value are looked for two literals deep, nearest first', () => {
    const deep = { c: { d: {} } };
    const top = { a: { b: deep }, part };
    expect([...literalsIn([top, 'x', new Counter()]).keys()]).toEqual([top, top.a, part, deep]);
  });

  it('the parts of a value are changed in a copy, and what nobody changes is itself', () => {
    expect(changed(value, () => new Map())).toBe(value);
    const own = changed(value, (each) => new Map(each === part ? [['n', 2]] : [])) as typeof value;
    expect([own.part, own.list[0], value.part]).toEqual([{ n: 2 }, part, part]);
    expect(part.n).toBe(1);
    expect(changed('x', () => new Map([['length', 2]]))).toBe('x');
  });
});

describe('a literal with a field that is answered otherwise', () => {
  const answered = (object: object): unknown => changed(object, () => new Map([['signal', 'own']]));

  it('a literal with a field that is answered otherwise is read with it and written to as itself', () => {
    const object: Record<string, unknown> & { heard(): string } = { signal: 'theirs', heard() { return String(this['signal']); } }; // prettier-ignore
    const own = answered(object) as typeof object;
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
    const less = answered(object) as typeof object;
    delete less['signal'];
    expect([less['signal'], 'signal' in object]).toEqual([undefined, false]);
  });

  it('a literal with a field that is answered otherwise may be frozen, and so may a part of it', () => {
    const part = Object.freeze({ signal: 'theirs', n: 1 });
    const own = answered(Object.freeze({ signal: 'theirs', part })) as { signal: string; part: typeof part };
    expect([own.signal, own.part, part.signal]).toEqual(['own', { signal: 'own', n: 1 }, 'theirs']);
  });

  it.each<[string, object]>([
    ['a class', Object.assign(new Runner(), { signal: 'theirs' })],
    ['a class with private fields', Object.assign(new Counter(), { signal: 'theirs' })],
    ['the platform', new AbortController()],
    [
      'a class below one of the platform',
      Object.assign(new (class extends Map<string, string> {})(), { signal: 'theirs' }),
    ],
  ])('a literal with a field that is answered otherwise is none where it is an instance of %s', (_what, object) => {
    expect(answered(object)).toBe(object);
  });

  it('an object of another realm is plain where a literal is', () => {
    const made: unknown[] = runInNewContext('[{}, Object.create(null), [], new (class A {})(), new Map()]') as never;
    expect(made.map((each) => isPlain(each as object))).toEqual([true, true, false, false, false]);
    const theirs: unknown = runInNewContext('({ mcpReq: { id: 1 } })');
    expect([...literalsIn([theirs]).keys()]).toEqual([theirs, { id: 1 }]);
  });
});
