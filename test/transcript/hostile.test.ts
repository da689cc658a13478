/** Messages from anywhere: what is no message is named, and nothing that is one costs more than its size or breaks anything. */
import { describe, expect, it } from 'vitest';

import { writeRound, writerOf, type Writer } from '../../src/testing/fast-check/transcripts/writers/index.ts';
import { repairWith } from './support/repair-with.ts';
import { forms, loopOf } from './support/conversations/forms.ts';
import { messageWriter } from '../../src/transcript/index.ts';

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const call = (n: number, id: string | undefined) => ({ mark: String(n), id, name: 'read', isHalf: false });
const result = (n: number, id: string | undefined) => ({ mark: String(n), id, name: 'read', isOrphan: false });
const own = (n: number): string => `id${String(n)}`;

/** The messages of n times the same. */
const shapes: Readonly<Record<string, (writer: Writer, n: number) => readonly object[]>> = {
  rounds: (writer, n) =>
    range(n).flatMap((i) =>
      writeRound(writer, {
        prompt: 'p',
        replies: [{ text: 't', calls: [call(i, own(i))] }],
        results: i % 10 === 0 ? [] : [result(i, own(i))],
      }),
    ),
  'replies alone': (writer, n) =>
    range(n).flatMap((i) =>
      writeRound(writer, { prompt: 'p', replies: [{ text: 't', calls: [call(i, '')] }], results: [] }).slice(1),
    ),
  'prompts alone': (writer, n) => range(n).flatMap(() => writeRound(writer, { prompt: 'p', replies: [], results: [] })),
  'one batch': (writer, n) => [
    ...writeRound(writer, {
      prompt: 'p',
      replies: [{ text: 't', calls: range(n).map((i) => call(i, own(i))) }],
      results: range(n)
        .reverse()
        .map((i) => result(i, own(i))),
    }),
  ],
  'one batch of one id': (writer, n) => [
    ...writeRound(writer, {
      prompt: 'p',
      replies: [{ text: 't', calls: range(n).map((i) => call(i, 'w')) }],
      results: range(n).map((i) => result(i, 'w')),
    }),
  ],
};

/** The same value, and how often anything of it was read. */
function counting<T extends object>(value: T): { readonly value: T; readonly reads: () => number } {
  let reads = 0;
  const seen = new WeakMap<object, object>();
  const wrap = (given: object): object => {
    const before = seen.get(given);
    if (before !== undefined) return before;
    const proxy = new Proxy(given, {
      get(target, key, receiver) {
        reads += 1;
        const found: unknown = Reflect.get(target, key, receiver);
        return typeof found === 'object' && found !== null ? wrap(found) : found;
      },
    });
    seen.set(given, proxy);
    return proxy;
  };
  return { value: wrap(value) as T, reads: () => reads };
}

describe.each(forms)('$name', ({ dialect }) => {
  const writer = writerOf(dialect);

  it.each(Object.keys(shapes))('G26 %s: eight times as much is read eight times as often', (shape) => {
    const cost = (n: number): number => {
      const { value, reads } = counting(shapes[shape]?.(writer, n) ?? []);
      const { messages } = repairWith(value, { dialect });
      dialect.check(messages as object[]);
      return reads();
    };
    const [one, eight] = [cost(50), cost(400)];
    expect(one).toBeGreaterThan(50);
    expect(eight / one).toBeLessThan(9);
  });

  it('names the message that is none: nothing, a number, a hole, one that cannot be read', () => {
    const [prompt] = writeRound(writer, { prompt: 'p', replies: [], results: [] });
    const unreadable = new Proxy(
      {},
      {
        get: () => {
          throw new Error('not today');
        },
      },
    );
    for (const bad of [null, undefined, 7, unreadable]) {
      expect(() => repairWith([prompt, bad] as never[], { dialect: dialect as never })).toThrow(/^messages\[1\]/);
      expect(() => dialect.check([prompt, bad] as never[])).toThrow(/^messages\[1\]/);
    }
    const sparse = [prompt];
    sparse.length = 3;
    expect(() => repairWith(sparse as never[], { dialect: dialect as never })).toThrow(/^messages\[1\]/);
  });

  it('lets no key of a message reach a prototype', () => {
    const conversation = writeRound(writer, {
      prompt: 'p',
      replies: [{ text: 't', calls: [call(1, '__proto__'), call(2, 'constructor'), call(3, '__proto__')] }],
      results: [result(1, '__proto__'), result(2, 'constructor')],
    });
    const json = JSON.stringify(conversation).replaceAll('"of":', '"__proto__":{"polluted":true},"of":');
    const { messages } = repairWith(JSON.parse(json) as object[], { dialect });
    expect(dialect.check(messages as object[])).toEqual([]);
    expect(({} as { polluted?: true }).polluted).toBeUndefined();
    expect(JSON.stringify(messages)).toMatch(/result<1>.*result<2>/s);
  });

  describe('what cannot even be looked at', () => {
    const talk = writeRound(writer, { prompt: 'p', replies: [{ text: 't', calls: [call(1, 'w')] }], results: [] });
    const [prompt] = talk as [object];
    const said = writer.reply({ text: 't', calls: [call(1, 'w')] }, []);
    const reply = said.length === 1 ? said[0] : said;
    const row = {
      id: 'w',
      name: 'read',
      call: { raw: { function: { arguments: '{}' } }, function: { arguments: {} }, input: { path: {} } },
      ms: 1,
      status: 'completed',
      value: 'PAID',
      reason: { kind: 'user' },
    };
    const settle = (messages: readonly object[], outcomeOf?: () => never) => {
      const settled = repairWith(messages, { dialect, outcomeOf });
      expect(dialect.check(settled.messages as object[])).toEqual([]);
      return JSON.stringify(settled);
    };

    it.each([unreadable, () => null, () => 7, () => 'x', () => [null]])(
      'is left out of a cut reply, wherever it stands: %s',
      (bad) => {
        const loop = loopOf(dialect);
        if (loop === undefined) return;
        for (const path of placesIn(reply)) {
          const partial = put(reply, path, bad());
          const cut = { status: 'interjected', partial, reason: row.reason };
          const said = readOr<readonly object[]>(() => messageWriter(loop).reply(cut), []);
          settle([prompt, ...said]);
        }
      },
    );

    it('keeps no row from being told', () => {
      for (const path of placesIn(row).filter(([key]) => key === 'call' || key === 'reason')) {
        const own = put(row, path, unreadable()) as never;
        expect(
          settle(talk, () => own),
          path.join('.'),
        ).toContain('PAID');
        const loop = loopOf(dialect);
        const told = loop === undefined ? 'PAID' : messageWriter(loop).toolResults([own]);
        expect(JSON.stringify(told), path.join('.')).toContain('PAID');
      }
    });

    it('is named: the message, the row, the reply', () => {
      for (const path of placesIn(talk)) {
        const broken = put(talk, path, unreadable()) as object[];
        for (const read of [() => repairWith(broken, { dialect }), () => dialect.check(broken)]) {
          expect(thrownBy(read) ?? `messages[${String(path[0])}]`).toContain(
            path.length === 0 ? 'messages must be an array' : `messages[${String(path[0])}]`,
          );
        }
      }
      expect(() => settle(talk, unreadable as never)).toThrow(/options\.outcomeOf\(.*\) must be an object/);
      const loop = loopOf(dialect);
      for (const path of loop === undefined ? [] : placesIn(reply)) {
        const broken = put(reply, path, unreadable());
        for (const read of [() => loop?.calls(broken), () => loop && messageWriter(loop).reply(broken)]) {
          expect(thrownBy(read) ?? 'reply').toMatch(/^reply/);
        }
      }
    });
  });

  it('says of a value that cannot even be looked at that it is unreadable', () => {
    const conversation = writeRound(writer, {
      prompt: 'p',
      replies: [{ text: 't', calls: [call(1, 'w')] }],
      results: [],
    });
    const outcome = { id: 'w', name: 'read', call: {}, ms: 1 };
    const rows = [
      { ...outcome, status: 'completed', value: unreadable() },
      { ...outcome, status: 'failed', error: unreadable() },
      { ...outcome, status: 'detached', partial: unreadable() },
    ];
    for (const row of rows) {
      const { messages } = repairWith(conversation, { dialect, outcomes: [row as never] });
      expect(dialect.check(messages as object[])).toEqual([]);
      expect(JSON.stringify(messages)).toContain('[Unreadable]');
    }
  });

  it.each([new Date(0), new Map(), new Uint8Array(1), new Error('x')])(
    'takes %o where arguments should be',
    (input) => {
      const conversation = writeRound(writer, {
        prompt: 'p',
        replies: [{ text: 't', calls: [call(1, 'w')] }],
        results: [],
      });
      const holder = conversation.map((message) => withDeepInput(message, input));
      const { messages } = repairWith(holder, { dialect });
      expect(dialect.check(messages as object[])).toEqual([]);
    },
  );

  it('takes arguments that are nested deeper than a stack, also twice', () => {
    let deep: object = {};
    for (let i = 0; i < 50_000; i += 1) deep = { deep };
    const conversation = writeRound(writer, {
      prompt: 'p',
      replies: [{ text: 't', calls: [call(1, 'w'), call(2, 'w')] }],
      results: [],
    });
    const holder = conversation.map((message) => withDeepInput(message, deep));
    expect(() => repairWith(holder, { dialect })).not.toThrow();
  });
});

/** A draft that was revoked. */
function unreadable(): object {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
}

type Path = readonly string[];

/** The places of all objects in a value, itself among them. */
function placesIn(value: unknown, at: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return [at, ...Object.entries(value).flatMap(([key, one]) => placesIn(one, [...at, key]))];
}

/** A copy of a value with something else in one place. */
function put(value: unknown, [key, ...rest]: Path, other: unknown): unknown {
  if (key === undefined) return other;
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>;
  copy[key] = put(copy[key], rest, other);
  return copy;
}

/** What is read, or another value where the refusal says that it is no reply. */
function readOr<T>(read: () => T, other: T): T {
  try {
    return read();
  } catch (error) {
    expect((error as Error).message).toMatch(/^reply/);
    return other;
  }
}

function thrownBy(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return error instanceof TypeError ? error.message : String(error);
  }
}

/** The message with something else in place of what its calls were given. */
function withDeepInput(value: object, deep: object): object {
  if (Array.isArray(value))
    return value.map((one: unknown) => (typeof one === 'object' && one !== null ? withDeepInput(one, deep) : one));
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, unknown]) => {
      if (['input', 'args'].includes(name)) return [name, deep];
      return [name, typeof one === 'object' && one !== null ? withDeepInput(one, deep) : one];
    }),
  );
}
