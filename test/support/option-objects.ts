/**
 * What every function that takes options refuses in their place, whichever door it is of.
 *
 * @module
 */
import { describe, expect, it } from 'vitest';

import { CancellationTokenSource, InterruptController, type Turn } from '../../src/index.ts';

/** A function that takes options: what it is given, the names that it knows, and options that are right. */
export interface Taking {
  readonly use: (options: never) => unknown;
  /** None where somebody else reads the same options, and has names of his own. */
  readonly names: string | undefined;
  /** None where a call that is right would begin something; a test of its own makes one. */
  readonly right: object | undefined;
  /** What they are called. */
  readonly what?: string;
}

/** What `use` makes of the turn of an agent; throws as its body does. */
export async function inTurn(use: (turn: Turn) => unknown): Promise<unknown> {
  return (await new InterruptController().runTurn(async (turn) => use(turn))).unwrap();
}

const source = new CancellationTokenSource();
const quiet = new CancellationTokenSource({ onCallbackError: () => undefined }).token;

/** What people hold while they write options. */
const inTheirPlace: readonly (readonly [what: string, value: object])[] = [
  ['a token', source.token],
  ['a source', source],
  ['a signal', new AbortController().signal],
  ['an AbortController', new AbortController()],
  ['an agent', new InterruptController({ token: quiet })],
  ['a list', []],
  ['a promise of options', Promise.resolve({})],
  ['a map', new Map()],
];

/** The same refusals for each of them. */
export function describeOptions(taking: Readonly<Record<string, Taking>>): void {
  describe.each(Object.entries(taking))('the options of %s', (title, { use, names, right, what = 'options' }) => {
    const refused = (options: unknown): Promise<unknown> =>
      Promise.resolve()
        .then(() => use(options as never))
        .then(
          () => 'taken',
          (error: unknown) => error,
        );
    const isError = title.endsWith('Error');

    if (names !== undefined)
      it('an option that there is not is refused, with the names that there are, also where it is inherited', async () => {
        for (const name of ['signal', 'timeoutms', 'toString']) {
          const error = new TypeError(`${what}.${name} is no option: there are ${names}`);
          expect(await refused({ ...right, [name]: 5 }), name).toEqual(error);
          expect(await refused(Object.create({ [name]: 5 })), name).toEqual(error);
        }
      });

    it.each(inTheirPlace)('something else in their place is refused: %s', async (_given, value) => {
      // An error is made where a stop is on its way: it looks at names alone, and a list or a map has none.
      if (isError && !Object.keys(value).some((name) => typeof name === 'string')) return;
      const error = await refused(value);
      expect(error).toBeInstanceOf(TypeError);
      if (!isError) expect(String(error)).toMatch(new RegExp(`${what} must be an object of options.*, got an? `));
    });

    it('null is refused, and what is no object', async () => {
      for (const value of [null, 5, 'fast', true])
        expect(await refused(value), String(value)).toBeInstanceOf(TypeError);
    });

    if (right !== undefined)
      it('options are read from a frozen object, one behind a proxy, one that inherits them, of a class, and of none', async () => {
        class Own {
          constructor() {
            Object.assign(this, right);
          }
        }
        const given = { ...right };
        const bare = Object.assign(Object.create(null) as object, given);
        for (const options of [
          Object.freeze({ ...given }),
          new Proxy(given, {}),
          Object.create(given),
          new Own(),
          bare,
        ])
          expect(await refused(options)).toBe('taken');
      });
  });
}
