/**
 * What every engine that carries stops has to do, whatever it is: cases for any test runner.
 *
 * @module
 */
import { requireOptions, type OptionNames } from '../core/inside.ts';
import { deepStrictEqual, ok } from 'node:assert';

import type { StopBackend, StopConnection } from '../remote/index.ts';
import type { StopBackendEvents, StopSwap } from '../remote/backend.ts';

/**
 * How the suite gets at an engine.
 *
 * @since 0.1.0
 */
export interface StopBackendSuiteOptions {
  /** A backend over an engine that knows nothing of earlier cases: a namespace of its own is enough. */
  readonly open: () => StopBackend | Promise<StopBackend>;
  /** Lets time go by, in milliseconds; really, by default. */
  readonly pass?: ((ms: number) => Promise<void>) | undefined;
  /** Makes the engine that was opened last lose everything; not for one that loses nothing. */
  readonly lose?: (() => Promise<void>) | undefined;
}

/**
 * One case of the suite.
 *
 * @since 0.1.0
 */
export interface StopBackendCase {
  readonly title: string;
  /** Rejects with an assertion error if the engine does something else. */
  readonly run: () => Promise<void>;
}

interface Stage {
  readonly a: StopConnection;
  readonly b: StopConnection;
  /** What `b` was told. */
  readonly heard: readonly string[];
  readonly pass: (ms: number) => Promise<void>;
  readonly lose: (() => Promise<void>) | undefined;
  /** Until something is so, for two seconds at most. */
  readonly until: (isSo: () => boolean) => Promise<void>;
}

const change: StopSwap = {
  ...{ runId: 'run "1"', from: undefined, to: 'één', ttlMs: 60_000 },
  ...{ inboxes: [], hints: [], handled: false },
};

const cases: Readonly<Record<string, (stage: Stage) => Promise<void>>> = {
  'a record is changed only if it is what the caller believes': async ({ a, b }) => {
    deepStrictEqual((await a.read(change.runId)).value, undefined);
    ok((await a.swap(change)).swapped);
    const refused = await b.swap({ ...change, to: 'two' });
    ok(!refused.swapped);
    deepStrictEqual(refused.value, 'één');
    ok(!(await b.swap({ ...change, from: 'other', to: 'two' })).swapped);
    ok((await b.swap({ ...change, from: 'één', to: 'two' })).swapped);
    deepStrictEqual((await a.read(change.runId)).value, 'two');
  },
  'of many changes from the same record one happens': async ({ a, b }) => {
    const tries = Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? a : b).swap({ ...change, to: String(n) }));
    const made = (await Promise.all(tries)).flatMap(({ swapped }, n) => (swapped ? [String(n)] : []));
    deepStrictEqual(made, [(await a.read(change.runId)).value]);
  },
  'a record is forgotten in its time, unless it is renewed': async ({ a, pass }) => {
    await a.swap({ ...change, ttlMs: 400 });
    await a.swap({ ...change, runId: 'kept', ttlMs: 400 });
    deepStrictEqual(await a.renew(['kept', 'none'], 60_000), ['één', undefined]);
    await pass(600);
    deepStrictEqual([(await a.read(change.runId)).value, (await a.read('kept')).value], [undefined, 'één']);
  },
  'what is put into an inbox is there until it is handled': async ({ a, b }) => {
    await a.swap({ ...change, inboxes: ['b'] });
    for (const proposal of ['g1', 'g2']) {
      const { pending } = await b.pull(30_000, proposal);
      deepStrictEqual(pending, [{ runId: change.runId, value: 'één' }]);
    }
    await b.swap({ ...change, from: 'één', to: 'één', handled: true });
    deepStrictEqual((await b.pull(30_000, 'g3')).pending, []);
  },
  'a change that did not happen puts nothing into an inbox': async ({ a, b }) => {
    await a.swap({ ...change, from: 'other', inboxes: ['b'] });
    deepStrictEqual((await b.pull(30_000, 'g')).pending, []);
  },
  'an entry of a record that was forgotten leaves the inbox': async ({ a, b, pass }) => {
    await a.swap({ ...change, ttlMs: 200, inboxes: ['b'] });
    await pass(400);
    deepStrictEqual((await b.pull(30_000, 'g')).pending, []);
    await a.swap(change);
    deepStrictEqual((await b.pull(30_000, 'g')).pending, []);
  },
  'a group lists whoever has joined it until they leave it, with their records, and wakes nobody': async ({
    a,
    b,
    heard,
    pass,
  }) => {
    await b.listen();
    for (const runId of ['one', 'two', 'three'])
      ok((await a.swap({ ...change, runId, joins: ['tenant:"é"', 'user:7'], inboxes: ['a'] })).swapped);
    ok(!(await b.swap({ ...change, runId: 'four', from: 'other', joins: ['user:7'] })).swapped);
    ok((await b.swap({ ...change, runId: 'two', from: 'één', to: 'två', leaves: ['user:7'] })).swapped);
    ok(!(await b.swap({ ...change, runId: 'three', from: 'other', leaves: ['user:7'] })).swapped);
    const list = async (group: string): Promise<readonly string[]> =>
      (await b.list(group)).runs.map(({ runId, value }) => `${runId} ${value}`).sort();
    deepStrictEqual(await list('user:7'), ['one één', 'three één']);
    deepStrictEqual(await list('tenant:"é"'), ['one één', 'three één', 'two två']);
    deepStrictEqual([await list('user:'), await list('b')], [[], []]);
    await pass(50);
    deepStrictEqual(heard, []);
  },
  'a group lists no record that was forgotten, and many runs as well as few': async ({ a, b, pass }) => {
    const group = 'g'.repeat(128);
    await a.swap({ ...change, runId: 'brief', ttlMs: 200, joins: [group] });
    const many = Array.from({ length: 300 }, (_, n) => `${'é'.repeat(900)}${String(n)}`);
    await Promise.all(many.map((runId) => a.swap({ ...change, runId, joins: [group] })));
    await pass(400);
    deepStrictEqual((await b.list(group)).runs.map(({ runId }) => runId).sort(), many.sort());
  },
  'a list says for how long the engine has known what it knows, from the first pull or list on': async ({
    a,
    b,
    pass,
    lose,
  }) => {
    const isOld = async (): Promise<boolean> => (await a.list('user:7')).ageMs >= 250;
    await b.pull(30_000, 'g1');
    await pass(300);
    await b.pull(30_000, 'g2');
    ok(await isOld());
    if (lose === undefined) return;
    await lose();
    ok(!(await isOld()));
    await pass(300);
    ok(await isOld());
  },
  'a pull finds the mark of the one before, until the lease lapses': async ({ a, b, pass }) => {
    deepStrictEqual((await b.pull(400, 'm1')).previous, undefined);
    deepStrictEqual((await b.pull(400, 'm2')).previous, 'm1');
    deepStrictEqual((await b.pull(400, 'm3')).previous, 'm2');
    deepStrictEqual(await a.alive(['b', 'nobody']), [true, false]);
    await pass(600);
    deepStrictEqual(await a.alive(['b']), [false]);
    deepStrictEqual((await b.pull(400, 'm4')).previous, undefined);
  },
  'whoever listens is woken by inboxes and hints, with the record': async ({ a, b, heard, until }) => {
    await b.listen();
    await b.listen();
    await a.swap({ ...change, inboxes: ['b'], hints: ['a'] });
    await until(() => heard.length > 0);
    await a.swap({ ...change, from: 'één', to: 'two', hints: ['b'] });
    await until(() => heard.length > 1);
    deepStrictEqual(heard, ['wake run "1" één', 'wake run "1" two']);
  },
  'a connection that is made anew says so, is woken, and works': async ({ a, b, heard, until }) => {
    await b.listen();
    b.reset();
    await until(() => heard.includes('resync'));
    await b.listen();
    await a.swap({ ...change, inboxes: ['b'] });
    await until(() => heard.includes('wake run "1" één'));
    deepStrictEqual((await b.pull(30_000, 'g')).pending.length, 1);
  },
  'a long record travels, if not by the wake-up then by the inbox': async ({ a, b, heard, until }) => {
    const to = 'x'.repeat(20_000);
    await b.listen();
    await a.swap({ ...change, to, inboxes: ['b'] });
    await until(() => heard.length > 0);
    deepStrictEqual((await b.pull(30_000, 'g')).pending, [{ runId: change.runId, value: to }]);
  },
  'a run may have an id of any text, and of any length': async ({ a, b, heard, until }) => {
    const ids = [
      'a\0b',
      '\u0001'.repeat(2_000),
      '"',
      '{é}:*',
      'x'.repeat(2_000),
      'x'.repeat(3_000),
      'é'.repeat(20_000),
    ];
    await b.listen();
    for (const [n, runId] of ids.entries()) {
      const to = n % 2 === 0 ? `of ${String(n)}` : 'x'.repeat(8_000);
      ok((await a.swap({ ...change, runId, to, inboxes: ['b'] })).swapped);
      ok((await a.swap({ ...change, runId, from: to, to: `${to}.` })).swapped);
      deepStrictEqual((await b.read(runId)).value, `${to}.`);
      deepStrictEqual(await a.renew([runId, `${runId}.`], 60_000), [`${to}.`, undefined]);
      await until(() => heard.some((said) => said.startsWith(`wake ${runId} `)));
      deepStrictEqual((await b.pull(30_000, 'g')).pending, [{ runId, value: `${to}.` }]);
      await b.swap({ ...change, runId, from: `${to}.`, to, handled: true });
      deepStrictEqual((await b.pull(30_000, 'g')).pending, []);
    }
  },
  'a connection that ends gives its lease and its inbox back, if it is told to': async ({ a, b }) => {
    await b.pull(30_000, 'g');
    await a.swap({ ...change, inboxes: ['b'] });
    await b.close(true);
    deepStrictEqual(await a.alive(['b']), [false]);
  },
  'time is the time of the engine, for everybody': async ({ a, b }) => {
    const [first, second] = [(await a.read('none')).now, (await b.pull(30_000, 'g')).now];
    ok(Number.isFinite(first) && second >= first && second - first < 5_000);
  },
};

const optionNames: OptionNames<StopBackendSuiteOptions> = { open: 1, pass: 1, lose: 1 };

/**
 * The cases that a backend for `openStopBus` has to pass: for backends of your own, as for those of this package.
 *
 * @param options How to open a backend; how to let time go by.
 * @returns Cases with titles; each opens what it needs, and closes it.
 * @example Any test runner
 * ```ts
 * import { memoryBackend } from 'desist/remote'
 * import { stopBackendSuite } from 'desist/testing'
 *
 * const cases = stopBackendSuite({ open: () => memoryBackend() })
 * await cases[0]?.run()
 * cases[0]?.title // => 'a record is changed only if it is what the caller believes'
 * ```
 * @source unstorage's shared suite of its drivers
 * @since 0.1.0
 */
export function stopBackendSuite(options: StopBackendSuiteOptions): readonly StopBackendCase[] {
  requireOptions(options, optionNames);
  return Object.entries(cases).map(([title, play]) => ({ title, run: () => onStage(options, play) }));
}

async function onStage(options: StopBackendSuiteOptions, play: (stage: Stage) => Promise<void>): Promise<void> {
  const pass = options.pass ?? ((ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)));
  const backend = await options.open();
  const heard: string[] = [];
  const events: StopBackendEvents = {
    wake: (runId, value) => heard.push(`wake ${runId} ${value ?? ''}`),
    resync: () => heard.push('resync'),
    down: () => undefined,
  };
  const silent: StopBackendEvents = { wake: () => undefined, resync: () => undefined, down: () => undefined };
  const [a, b] = [await backend.connect('a', silent), await backend.connect('b', events)];
  const { lose } = options;
  const until = async (isSo: () => boolean): Promise<void> => {
    for (let waited = 0; !isSo(); waited += 10) {
      ok(waited < 2_000, `nothing more was heard than ${JSON.stringify(heard)}`);
      await pass(10);
    }
  };
  try {
    await play({ a, b, heard, pass, lose, until });
  } finally {
    await Promise.all([a.close(true), b.close(true)].map((closing) => closing.catch(() => undefined)));
  }
}
