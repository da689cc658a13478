/**
 * The Stop request lands on another process than the run: two processes, played by two registries on one engine.
 */
import { delay } from 'desist';
import { memoryBackend, openStopBus } from 'desist/remote';
import { SessionRegistry } from 'desist/sessions';

const backend = memoryBackend();
const [front, worker] = [await openStopBus(backend), await openStopBus(backend)];
const asking = new SessionRegistry({ bus: front });
const working = new SessionRegistry({ bus: worker });

// Before the run: the stop waits for it.
console.log('early:', (await asking.cancel('chat-1', 'user')).status);
const { controller, ready } = working.open('chat-1');
await ready();
const first = await controller.runTurn(({ token }) => delay(token, 60_000));
console.log('chat-1:', first.status);

// During the run: the work is told, and its report comes back.
const turn = controller.runTurn(({ tool }) =>
  tool({ id: 'call_1', name: 'work' }, (_call, { token }) => delay(token, 60_000)),
);
const receipt = await asking.cancel('chat-1', { kind: 'user', by: 'ada' }, { wait: 'settled' });
console.log(
  'asked:',
  receipt.status,
  receipt.report?.operations.map(({ name, outcome }) => `${name} ${outcome}`),
);
console.log('chat-1:', (await turn).status);

// After it: late, and no harm done.
await working.drain({ timeoutMs: 0 });
console.log('late:', (await asking.cancel('chat-1')).status);
await Promise.all([front.close(), worker.close()]);

// Output:
// early: pending
// chat-1: cancelled
// asked: settled [ 'work cancelled' ]
// chat-1: cancelled
// late: settled
