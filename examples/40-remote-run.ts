/**
 * Work that goes on elsewhere: a stop asks the machine that does it, once and by the name of the run, reads its last
 * words, and names the run that does not answer. The service here is this file's; with a real one `open` and `cancel` are
 * two calls of its client.
 */
import { CancellationTokenSource, delay } from 'desist';
import { cancelRun, followRun } from 'desist/remote-run';

interface Event {
  readonly run: string;
  readonly says: string;
}

/** A service whose runs go on when their reader goes. */
class Service {
  readonly working = new Set<string>();
  readonly isDeaf: boolean;

  constructor(isDeaf: boolean) {
    this.isDeaf = isDeaf;
  }

  async *start(run: string): AsyncGenerator<Event> {
    this.working.add(run);
    yield { run, says: 'step 1' };
    while (this.working.has(run)) await delay(undefined, 5);
    yield { run, says: 'rolled back' };
  }

  async cancel(run: string): Promise<void> {
    console.log(`${run}: asked to stop`);
    if (this.isDeaf) await new Promise(() => undefined);
    await delay(undefined, 20);
    this.working.delete(run);
    await delay(undefined, 20);
  }
}

for (const [name, isDeaf] of [
  ['obedient', false],
  ['deaf', true],
] as const) {
  const service = new Service(isDeaf);
  const stop = new CancellationTokenSource();
  const run = followRun(stop.token, () => service.start(name), {
    cancel: (id) => service.cancel(id),
    idOf: (event) => event.run,
    graceMs: isDeaf ? 100 : 10_000,
  });
  try {
    for await (const { says } of run) {
      console.log(`${name}: ${says}`);
      if (says === 'step 1') stop.cancel('user');
    }
  } catch (error) {
    const { abandoned } = error as { abandoned?: { name: string } };
    console.log(`${name}: ${abandoned === undefined ? 'stopped' : `may go on: ${abandoned.name}`}`);
  }
  // What is left of a run that may go on is its name, and that is enough for the next attempt.
  if (isDeaf) console.log((await cancelRun(name, (id) => void service.working.delete(id))).status);
}

// Output:
// obedient: step 1
// obedient: asked to stop
// obedient: rolled back
// obedient: stopped
// deaf: step 1
// deaf: asked to stop
// deaf: may go on: remote run deaf
// cancelled
