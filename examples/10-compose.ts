/**
 * Two mirrors are asked and the first answer wins, with a heartbeat in the background: when it is over nothing runs on,
 * and whoever did not listen is named.
 */
import { CancellationTokenSource, CancelledError, delay } from 'desist';
import { execute, race, spawn } from 'desist/compose';
import { VirtualClock, deferred } from 'desist/testing';

// Time stands still until it is moved, so that this prints the same on every machine.
const clock = new VirtualClock();
const session = new CancellationTokenSource({ name: 'session', clock });

// A race inside a spawn: the winner's value comes out when the loser and the heartbeat have ended.
const work = spawn(session.token, async ({ token, fork, defer }) => {
  defer(() => console.log('lock: released'));
  fork(async (beat) => {
    for (;;) {
      await delay(beat.token, 40);
      console.log('lock: extended');
    }
  });
  return race(token, [
    async function near(context) {
      await delay(context.token, 100);
      return 'from the near mirror';
    },
    async function far(context) {
      context.token.onCancelled(({ kind }) => console.log(`far mirror: told to stop (${kind})`));
      await delay(context.token, 500);
      return 'from the far mirror';
    },
  ]);
});
await clock.advance(100);
console.log(`race: ${await work}`);

// An upload that can be undone, and one that does not listen. The person stops both.
const disk = deferred<string>();
const stopped = race(
  session.token,
  [
    ({ token }) =>
      execute<string>(token, () => {
        console.log('upload: begun');
        return (reason) => console.log(`upload: undone (${reason.message})`);
      }),
    function backup() {
      return disk.promise;
    },
  ],
  { graceMs: 200, onLateSettle: (outcome) => console.log(`late: ${outcome.status}`) },
).catch((error: unknown) => {
  if (!(error instanceof CancelledError)) throw error;
  console.log(`race: ${error.reason.kind} by ${error.reason.by}, still running: ${error.abandoned?.name}`);
});
session.cancel({ kind: 'user', by: 'ada' });
await clock.advance(200);
await stopped;
disk.resolve('saved after all');
await clock.advance(0);

// Output:
// lock: extended
// lock: extended
// far mirror: told to stop (superseded)
// lock: released
// race: from the near mirror
// upload: begun
// upload: undone (User cancelled)
// race: user by ada, still running: backup
// late: completed
