/**
 * An agent runs a shell command; the person presses Stop. The command has left a background job, a child that ignores
 * SIGTERM, and half of its output. Afterwards nobody is alive, and the output is kept.
 */
import { CancellationTokenSource } from 'desist';
import { cancellableExec, cancellableSpawn } from 'desist/child-process';

// A command that ends by itself: whatever its exit code, it is a result.
const tests = await cancellableExec('echo "3 passed, 1 failed"; exit 1');
console.log('tests:', tests.exitCode, tests.stdout.trim());

// One that would run for ever, and does not want to go.
const stop = new CancellationTokenSource({ name: 'shell tool' });
const command = `
  sleep 600 &
  sh -c 'trap "" TERM; sleep 600; sleep 600' &
  echo step 1 of 2
  wait
`;
const run = cancellableExec(command, { token: stop.token, graceMs: 300 });
run.stdout?.once('data', () => stop.cancel({ kind: 'user', by: 'ada' }));

const stopped = await run;
console.log('stopped by:', stopped.stoppedBy?.kind, stopped.stoppedBy?.by);
console.log('so far:', stopped.stdout.trim());
console.log('still alive:', stopped.survivors.length);

// The next command of the same turn: nothing starts after Stop.
const next = cancellableSpawn('touch', ['never-made'], { token: stop.token });
await next.result.catch((error: unknown) => {
  console.log('next:', error instanceof Error && error.name, next.pid);
});

// Output:
// tests: 1 3 passed, 1 failed
// stopped by: user ada
// so far: step 1 of 2
// still alive: 0
// next: AbortError undefined
