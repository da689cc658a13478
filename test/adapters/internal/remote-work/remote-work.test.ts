import fc from 'fast-check';
import { expect, it } from 'vitest';

import { callRemote } from '../../../../src/adapters/internal/remote-work/call-remote.ts';
import type { RemoteContext } from '../../../../src/adapters/internal/remote-work/remote-words.ts';
import { CancellationTokenSource } from '../../../../src/core/token/cancellation-token-source.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';

const GRACE = 50;
const NAME_LIMIT = 200;

/** What one side of the run does, each in milliseconds from its own beginning; `undefined` for never. */
interface Scene {
  readonly namedAt: number | undefined;
  readonly endsAt: number | undefined;
  readonly saysEnd: 'completed' | 'cancelled' | undefined;
  readonly stopAt: number | undefined;
  readonly answer: 'answers' | 'refuses' | 'is deaf';
  readonly answerMs: number;
  readonly until: 'answer' | 'end';
}

const ms = fc.integer({ min: 1, max: 120 });
const scenes: fc.Arbitrary<Scene> = fc.record({
  namedAt: fc.option(ms, { nil: undefined }),
  endsAt: fc.option(ms, { nil: undefined }),
  saysEnd: fc.constantFrom('completed', 'cancelled', undefined),
  stopAt: fc.option(ms, { nil: undefined }),
  answer: fc.constantFrom('answers', 'refuses', 'is deaf'),
  answerMs: fc.integer({ min: 0, max: 90 }),
  until: fc.constantFrom('answer', 'end'),
});

/** Plays a scene, and says what a counting server has seen of it. */
async function play(scene: Scene) {
  const clock = new VirtualClock();
  const person = new CancellationTokenSource({ clock });
  const seen = { cancels: 0, afterEnd: 0, early: false, requestOpen: true, questionOpen: 0, settledAt: -1 };
  const begun = clock.now();
  let isEnded = false;
  const timers = new Set<{ release(): void }>();
  const after = (delay: number, fn: () => void) => timers.add(clock.setTimer(fn, delay, { ref: true }));

  const start = ({ signal, named }: RemoteContext<string>) =>
    new Promise<string>((resolve, reject) => {
      const settle = (how: () => void) => {
        seen.requestOpen = false;
        how();
      };
      signal.addEventListener('abort', () => {
        if (!seen.requestOpen) return;
        if (person.isCancelled && scene.stopAt !== undefined && clock.now() < begun + scene.stopAt) seen.early = true;
        settle(() => reject(new Error('the connection is gone')));
      });
      if (scene.namedAt !== undefined) after(scene.namedAt, () => named('r1'));
      if (scene.endsAt !== undefined) {
        after(scene.endsAt, () => {
          isEnded = true;
          settle(() => resolve('paid'));
        });
      }
    });
  const cancel = (id: string, { signal }: { signal: AbortSignal }) => {
    expect(id).toBe('r1');
    seen.cancels++;
    if (isEnded) seen.afterEnd++;
    seen.questionOpen++;
    return new Promise((resolve, reject) => {
      const done = (how: () => void) => () => {
        seen.questionOpen--;
        how();
      };
      signal.addEventListener(
        'abort',
        done(() => reject(new Error('nobody waits'))),
        { once: true },
      );
      if (scene.answer === 'answers')
        after(
          scene.answerMs,
          done(() => resolve('ok')),
        );
      if (scene.answer === 'refuses')
        after(
          scene.answerMs,
          done(() => reject(new Error('not cancellable'))),
        );
    });
  };
  const options = { cancel, until: scene.until, endOf: () => scene.saysEnd, nameMs: NAME_LIMIT, name: 'run' };
  const call = callRemote(person.token, start, options, { graceMs: GRACE }).then(
    (value) => ({ value }),
    (error: unknown) => ({ error: error as { name: string; abandoned?: { name: string } } }),
  );
  void call.then(() => (seen.settledAt = clock.now() - begun));
  if (scene.stopAt !== undefined) after(scene.stopAt, () => person.cancel('user'));
  await clock.advance(1_000);
  const isSettled = seen.settledAt !== -1;
  for (const timer of timers) timer.release();
  return { seen, isSettled, outcome: isSettled ? await call : undefined, pending: clock.pending };
}

it('asks once and only for work that runs, keeps to the grace, and leaves nothing, whatever comes first', async () => {
  await fc.assert(
    fc.asyncProperty(scenes, async (scene) => {
      const { seen, isSettled, outcome, pending } = await play(scene);
      const { stopAt, endsAt, namedAt } = scene;
      // W1
      expect(seen.cancels).toBeLessThanOrEqual(1);
      expect(seen.afterEnd).toBe(0);
      const runsAtStop = stopAt !== undefined && (endsAt === undefined || endsAt > stopAt);
      if (!runsAtStop) expect(seen.cancels).toBe(0);
      else if (namedAt !== undefined && (endsAt === undefined || Math.max(namedAt, stopAt) < endsAt)) {
        expect(seen.cancels).toBe(1);
      }
      if (stopAt === undefined) {
        expect(isSettled).toBe(endsAt !== undefined);
        return;
      }
      expect(isSettled).toBe(true);
      expect(seen.settledAt).toBeLessThanOrEqual(Math.max(stopAt, Math.min(endsAt ?? Infinity, stopAt)) + GRACE);
      if (!runsAtStop) expect(outcome).toHaveProperty('value');
      // W3: 250 ms after the last limit nothing is open.
      expect({ open: seen.requestOpen, questions: seen.questionOpen <= 0, pending }).toEqual({
        open: false,
        questions: true,
        pending: 0,
      });
      // What may go on is named, and with its id if it had one.
      if (outcome !== undefined && 'error' in outcome && outcome.error.abandoned !== undefined) {
        expect(outcome.error.abandoned.name).toMatch(/^run( r1)?$/);
      }
    }),
    { numRuns: 300 },
  );
}, 120_000);
