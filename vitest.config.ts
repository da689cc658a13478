import { globSync, readFileSync } from 'node:fs';

import { defineConfig } from 'vitest/config';

import { LongestFirst } from './test/support/longest-first.ts';
import { machineFactor } from './test/support/machine-factor.ts';

/** Limits are those of a quiet machine; a slow or busy one has more. */
const factor = machineFactor();
process.env['TEST_FACTOR'] = String(factor);

/** Tests that wait for programs and servers more than they compute: six files at a time keep two cores busy. */
const waiting = {
  maxWorkers: 6,
  testTimeout: factor * 120_000,
  hookTimeout: factor * 120_000,
  expect: { poll: { timeout: factor * 16_000 } },
  sequence: { groupOrder: 2 },
};

/** Tests that compute where those wait. */
const computing = { maxWorkers: waiting.maxWorkers, sequence: waiting.sequence };

/** Rooms of `test/`; each is a project, so that one can be run alone: `npx vitest run --project unit`. */
const watched = { setupFiles: ['test/support/setup.ts'] };

const unit = globSync('test/{core,guard,sessions,remote,adapters,testing,inspect}/**/*.test.ts');
/**
 * Unit tests that put something in the place of what a process has once: timers, modules, globals, or count its listeners.
 * Each gets a process of its own; half a second each, so all others share one.
 */
const replacing =
  /\bvi\.(?:mock|doMock|resetModules|stubGlobal|useFakeTimers|spyOn\((?:globalThis|process|AbortSignal))|listenerCount\(|globalThis as/;
const isolated = unit.filter((file) => replacing.test(readFileSync(file, 'utf8')));

/**
 * What `npm test` leaves to `npm run test:all`: faults planted into the product, as whether a test can fail is no question of each
 * change; engines in every trouble; and memory over thousands of rounds.
 */
const long =
  process.env['TEST_LONG'] === 'no'
    ? [
        'test/{properties,integration}/*-plants.test.ts',
        'test/integration/{demo-broken,*-faults}.test.ts',
        'test/integration/*-growth.test.ts',
      ]
    : [];

/** Masters of a cluster that are killed: by hand, `REDIS_FAILOVERS=2`. */
const byHand = process.env['REDIS_FAILOVERS'] === undefined ? ['test/integration/redis-cluster.test.ts'] : [];

/** Whole programs that are waited for, and sizes: nothing in them is timed, so they may have neighbours. */
const journeys = [
  'test/integration/{browser,chat,demo,multi-instance,nats,postgres,program,recipe,redis,token}*.test.ts',
  'test/integration/{classic,inspect-*,windows-*}{.test.ts,/*.test.ts}',
];
/** Those that hold a measured time against a limit run alone: a busy neighbour would make a test of time a test of the neighbour. */
const timed = globSync('test/integration/*.test.ts', { exclude: journeys }).filter((file) => {
  const text = readFileSync(file, 'utf8');
  return text.includes('performance.now(') && text.includes('.toBeLessThan');
});

export default defineConfig({
  test: {
    // Files run in processes of their own: the leak check reads the process, and signals are tested for real.
    pool: 'forks',
    // Two more than there are cores: some unit tests play whole agents, and wait.
    maxWorkers: 4,
    sequence: { sequencer: LongestFirst },
    execArgv: ['--expose-gc'],
    // A machine that becomes busy in a run has been measured before it was.
    testTimeout: factor * 30_000,
    // What has to come may come late on a busy machine.
    expect: { poll: { timeout: factor * 8_000 } },
    projects: [
      {
        extends: true,
        test: {
          ...watched,
          name: 'unit',
          include: unit,
          exclude: isolated,
          isolate: false,
          env: { SHARED_PROCESS: '1' },
        },
      },
      {
        extends: true,
        test: { ...watched, name: 'unit-isolated', include: isolated },
      },
      {
        extends: true,
        test: {
          ...watched,
          name: 'transcript',
          include: ['test/transcript/**/*.test.ts'],
          // Pure functions in a hundred small files: a process for each would take three times as long.
          isolate: false,
          env: { SHARED_PROCESS: '1' },
        },
      },
      {
        extends: true,
        test: {
          ...watched,
          name: 'properties',
          include: ['test/properties/**/*.test.ts'],
          isolate: false,
          env: { SHARED_PROCESS: '1' },
          exclude: long,
          ...computing,
          // Who asks for more runs has the time.
          testTimeout: factor * (process.env['FC_NUM_RUNS'] === undefined ? 300_000 : 3_600_000),
        },
      },
      {
        extends: true,
        // Only by `npm run test:fuzz`: the model knows more than the code does yet, and says so.
        test: { ...watched, name: 'fuzz', include: ['test/fuzz/**/*.test.ts'], testTimeout: factor * 3_600_000 },
      },
      {
        extends: true,
        test: {
          ...watched,
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          exclude: [...journeys, ...timed, ...long],
          ...waiting,
        },
      },
      {
        extends: true,
        test: {
          ...watched,
          name: 'timed',
          include: timed,
          testTimeout: factor * 60_000,
          fileParallelism: false,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: {
          ...watched,
          name: 'journeys',
          include: journeys,
          exclude: [...long, ...byHand],
          ...waiting,
        },
      },
      {
        extends: true,
        test: {
          ...watched,
          name: 'interop',
          include: ['test/interop/**/*.test.ts'],
          // Read once in a process, an SDK costs a second less for each file. What it leaves in the process, it leaves once.
          isolate: false,
          // Loaded by Node itself: which major a specifier means depends on the folder of the file that imports it.
          server: { deps: { external: [/test\/interop\/\w+\/load\.ts$/] } },
          ...waiting,
        },
      },
      {
        extends: true,
        test: {
          name: 'architecture',
          include: ['test/architecture/**/*.test.ts'],
          ...computing,
          testTimeout: factor * 60_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'selection',
          include: ['test/selection/**/*.test.ts'],
          testTimeout: factor * 120_000,
          hookTimeout: factor * 60_000,
        },
      },
      {
        extends: true,
        test: { name: 'audit', include: ['audit/test/**/*.test.ts'], ...computing, testTimeout: factor * 120_000 },
      },
      {
        extends: true,
        test: {
          name: 'package',
          include: ['test/package/**/*.test.ts'],
          testTimeout: factor * 180_000,
          hookTimeout: factor * 180_000,
        },
      },
      {
        extends: true,
        test: {
          name: 'docs',
          include: ['test/docs/**/*.test.ts'],
          ...computing,
          testTimeout: factor * 180_000,
          hookTimeout: factor * 180_000,
        },
      },
    ],
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      reportsDirectory: 'coverage',
      reporter: ['text', 'json-summary', 'html'],
      thresholds: {
        'src/core/**': { lines: 95, branches: 95 },
        'src/!(core)/**': { lines: 80, branches: 80 },
      },
    },
  },
});
