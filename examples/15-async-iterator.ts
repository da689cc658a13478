/**
 * A log that three people follow: one closes the window, one is stuck, and when the last has gone the source is told. Then
 * a generator that does not listen: the loop ends at once, and the clean-up that never ran is named.
 */
import { CancellationTokenSource, CancelledError } from 'desist';
import { cancellableIterable, sharedStream } from 'desist/async-iterator';

async function* log() {
  try {
    for (let line = 1; ; line += 1) yield `line ${line}`;
  } finally {
    console.log('log: closed');
  }
}

// One source, three readers, each under a token of its own.
const shared = sharedStream(null, log());
const window = new CancellationTokenSource({ name: 'window' });
const [first, second, third] = [shared.reader(window.token), shared.reader(), shared.reader()];
console.log('first:', (await first.next()).value);
window.cancel('user');
await first.next().catch((error: unknown) => console.log('first:', (error as Error).message));
console.log('second:', (await second.next()).value, (await second.next()).value);
console.log('third:', (await third.next()).value);
await second.return();
console.log('readers:', shared.readers);
await third.return();

// A source that is stuck for ever in its first read.
async function* answers() {
  try {
    yield await new Promise<string>(() => {});
  } finally {
    console.log('this is never printed');
  }
}
const stop = new CancellationTokenSource();
const loop = cancellableIterable(stop.token, answers(), { graceMs: 50 });
setTimeout(() => stop.cancel({ kind: 'user', by: 'ada' }), 10);
try {
  for await (const answer of loop) console.log(answer);
} catch (error) {
  console.log('loop:', error instanceof CancelledError && error.reason.by);
}
console.log('source:', (await loop.closed).status);

// Output:
// first: line 1
// first: User cancelled
// second: line 1 line 2
// third: line 1
// readers: 1
// log: closed
// loop: ada
// source: abandoned
