/**
 * A server hosts conversations, and a stop comes by id: before the session is opened, while it works, or because the
 * process is to end. Background work survives a stop of the turn, and none of the session.
 */
import { delay } from 'desist';
import { SessionRegistry, type Session } from 'desist/sessions';

const sessions = new SessionRegistry();

/** A prompt comes in. */
async function prompt(id: string, ms: number): Promise<void> {
  const { controller } = sessions.open(id, { graceMs: 20 });
  const report = await controller.runTurn(async ({ tool }) => {
    await tool({ id: 'call_1', name: 'work' }, (_call, { token }) => delay(token, ms));
    return 'answer';
  });
  console.log(`${id}: ${report.status === 'cancelled' ? `stopped (${report.reason.kind})` : report.status}`);
}

/** Something that goes on beside the turns. */
function watchFiles({ id, controller }: Session): void {
  const watcher = controller.child('watcher', { detached: true });
  void watcher
    .runTurn(({ token }) => delay(token, 60_000))
    .then(({ status }) => console.log(`${id}: watcher ${status}`));
}

// The person changes their mind before the prompt has arrived: the stop waits for it.
console.log('early:', (await sessions.cancel('chat-1', 'user')).status);
await prompt('chat-1', 60_000);

// A stop from another request. Asked is not stopped: only `settled` says that the work is gone or named.
watchFiles(sessions.open('chat-2'));
const answered = prompt('chat-2', 60_000);
const turnId = 1;
const asked = await sessions.cancel('chat-2', { kind: 'user', by: 'ada' }, { turnId });
console.log('asked:', asked.status);
const told = await sessions.cancel('chat-2', undefined, { turnId, wait: 'settled', timeoutMs: 5_000 });
console.log(
  'waited:',
  told.status,
  told.report?.operations.map(({ name, outcome }) => `${name} ${outcome}`),
);
await answered;

// The process is to end: what is quick ends by itself, the rest is stopped.
const last = Promise.all([prompt('chat-3', 10), prompt('chat-4', 60_000)]);
const { finished, stopped } = await sessions.drain({ timeoutMs: 200 });
await last;
console.log('ended by themselves:', finished.join(', '));
console.log('had to be stopped:', stopped.map(({ sessionId }) => sessionId).join(', '));

// Output:
// early: pending
// chat-1: stopped (user)
// chat-2: stopped (user)
// asked: observed
// waited: settled [ 'work cancelled' ]
// chat-3: completed
// chat-2: watcher cancelled
// chat-4: stopped (shutdown)
// ended by themselves: chat-1, chat-3
// had to be stopped: chat-2, chat-4
