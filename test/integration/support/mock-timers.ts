/**
 * Tests as a user of `node:test` writes them: time is the runner's, and is moved by hand. Run by
 * `test/integration/mock-timers.test.ts`.
 *
 * @module
 */
import assert from 'node:assert/strict';
import { afterEach, mock, test } from 'node:test';

import { isCancelledError } from '../../../src/core/foundation/errors.ts';
import {
  CancellationToken,
  CancellationTokenSource,
  delay,
  DeadlineExceededError,
  InterruptController,
  pollUntil,
  withCancellation,
} from '../../../src/index.ts';

/** Real, whatever is mocked: lets promises settle between two ticks. */
const { setImmediate: realImmediate } = globalThis;

async function tick(ms: number): Promise<void> {
  mock.timers.tick(ms);
  await new Promise((resolve) => realImmediate(resolve));
}

/** What a promise rejected with, as soon as it has. */
function watch(promise: Promise<unknown>): { error?: unknown } {
  const seen: { error?: unknown } = {};
  promise.catch((error: unknown) => (seen.error = error));
  return seen;
}

afterEach(() => {
  mock.timers.reset();
});

for (const [title, options] of [
  ['everything mocked', undefined],
  ['timers and Date mocked', { apis: ['setTimeout', 'Date'] }],
  ['timers alone mocked', { apis: ['setTimeout'] }],
] as const) {
  void test(`a deadline fires with ${title}`, async () => {
    mock.timers.enable(options === undefined ? undefined : { apis: [...options.apis] });
    const source = new CancellationTokenSource({ timeoutMs: 1000 });
    const waiting = watch(delay(source.token, 5000));
    await tick(998);
    assert.equal(source.isCancelled, false);
    await tick(2);
    assert.equal(source.reason?.kind, 'deadline');
    assert.ok(isCancelledError(waiting.error));
  });
}

void test('the limit of a call fires as its own error, at its instant among others', async () => {
  mock.timers.enable();
  const long = CancellationToken.timeout(10_000);
  await tick(9000);
  const short = watch(
    withCancellation(long, ({ token }) => delay(token, 60_000), { timeoutMs: 500, settle: 'abandon' }),
  );
  await tick(500);
  assert.ok(short.error instanceof DeadlineExceededError);
  assert.equal(long.isCancelled, false);
  assert.equal(long.remainingMs(), 500);
  await tick(500);
  assert.equal(long.isCancelled, true);
});

void test('an absolute deadline is one of the mocked Date', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1000 });
  const source = new CancellationTokenSource({ deadlineAt: Date.now() + 250 });
  await tick(249);
  assert.equal(source.isCancelled, false);
  await tick(1);
  assert.equal(source.isCancelled, true);
});

void test('a turn, its grace and a poll keep the time of the mock', async () => {
  mock.timers.enable();
  const agent = new InterruptController();
  const turn = agent.runTurn(({ tool }) => tool({ id: '1', name: 'deaf' }, () => new Promise(() => undefined)));
  let probes = 0;
  const polling = watch(pollUntil(agent.lifetime, () => ++probes > 100, { timeoutMs: 350 }));
  await tick(0);
  for (let passed = 0; passed < 350; passed += 50) await tick(50);
  assert.ok(polling.error instanceof DeadlineExceededError);
  assert.ok(probes >= 3 && probes <= 5);
  agent.cancel();
  for (let passed = 0; passed < 2000; passed += 250) await tick(250);
  const report = await turn;
  assert.deepEqual(report.stop?.abandoned, ['deaf']);
});

void test('what a mock left behind holds up nothing of real time', async () => {
  mock.timers.enable();
  const lost = new CancellationTokenSource({ timeoutMs: 1 });
  mock.timers.reset();
  await CancellationToken.timeout(5).whenCancelled();
  lost.release();
});
