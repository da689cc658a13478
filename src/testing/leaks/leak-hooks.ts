/**
 * The leak check around the tests of a file, in any runner that has a function for before and one for after.
 *
 * @module
 */
import { isObject, show, requireOptions, type OptionNames } from '../../core/inside.ts';
import { leakCheck, type LeakCheck, type LeakCheckOptions, type LeakFinishOptions } from './leak-check.ts';

/**
 * What {@link leakHooks} needs of a test runner.
 *
 * @since 0.1.0
 */
export interface LeakHooks {
  /** `beforeAll` of vitest or jest, `before` of `node:test`; those for each test do as well. */
  readonly before: (fn: () => void) => unknown;
  /** `afterAll` of vitest or jest, `after` of `node:test`. Waits for a promise, and fails if it rejects. */
  readonly after: (fn: () => Promise<void>) => unknown;
}

/**
 * Options of {@link leakHooks}.
 *
 * @since 0.1.0
 */
export interface LeakHookOptions extends LeakCheckOptions, LeakFinishOptions {
  /** Kinds of leaks that are none here, by name, such as `'MessagePort'` for a runner's own threads. */
  readonly ignore?: readonly string[] | undefined;
}

const optionNames: OptionNames<LeakHookOptions> = { ignore: 1, tokens: 1, settleMs: 1 };

/**
 * Checks for leaks around the tests of a file; the file fails if something is left.
 *
 * Without `--expose-gc` a listener on a signal that nobody can reach any more may be counted, and the error says so:
 * `node --expose-gc --test`, `execArgv: ['--expose-gc']` of vitest, `node --expose-gc node_modules/.bin/jest`.
 *
 * @param hooks The functions of the runner.
 * @param options How patient, which tokens, and what is no leak.
 * @throws TypeError – a hook is not a function. The error that names the leaks is thrown in the hook after the tests.
 * @cleanup The check ends with the hook after the tests.
 * @example A file of vitest
 * ```ts fragment
 * import { leakHooks } from 'desist/testing'
 * import { afterAll, beforeAll } from 'vitest'
 *
 * leakHooks({ before: beforeAll, after: afterAll })
 * ```
 * @source Go `goleak`
 * @since 0.1.0
 */
export function leakHooks(hooks: LeakHooks, options: LeakHookOptions = {}): void {
  if (!isObject(hooks)) throw new TypeError(`hooks must be an object, got ${show(hooks)}`);
  const { before, after } = hooks;
  requireOptions(options, optionNames);
  const { ignore, tokens, settleMs } = options;
  if (ignore !== undefined && !Array.isArray(ignore))
    throw new TypeError(`options.ignore must be a list, got ${String(ignore)}`);
  for (const [name, hook] of Object.entries({ before, after })) {
    if (typeof hook !== 'function')
      throw new TypeError(`leakHooks(hooks) takes a function as ${name}, got ${typeof hook}`);
  }
  let check: LeakCheck | undefined;
  before(() => {
    check = leakCheck({ tokens });
  });
  after(async () => {
    const open = check;
    check = undefined;
    const leaks = ((await open?.finish({ settleMs })) ?? []).filter(
      ({ name }) => !(ignore as readonly string[] | undefined)?.includes(name),
    );
    if (leaks.length === 0) return;
    const list = leaks.map(({ name, count }) => `${String(count)} × ${name}`).join(', ');
    const { gc } = globalThis as { readonly gc?: unknown };
    const hint = gc === undefined ? '; run Node with --expose-gc for exact counts of abort listeners' : '';
    throw new Error(`left behind: ${list}${hint}`);
  });
}
