/** A server is told to end while two runs are on: one ends in time, the other is stopped, and both are accounted for. */
import { delay } from 'desist';
import { drainOnSignals } from 'desist/process-signals';
import { SessionRegistry } from 'desist/sessions';

const sessions = new SessionRegistry();

const signals = drainOnSignals(sessions, {
  timeoutMs: 200,
  onSignal: (signal) => console.log(`${signal}: nothing new starts`),
  onDrained: ({ report }) => {
    console.log('ended by itself:', report?.finished.join());
    for (const { sessionId, report: stop } of report?.stopped ?? [])
      console.log('stopped:', sessionId, stop.reason?.kind);
  },
  exitCode: ({ report }) => (report === undefined ? 1 : 0), // a supervisor that takes 143 for a failure
});

void sessions.open('quick').controller.runTurn(({ token }) => delay(token, 50));
void sessions.open('slow').controller.runTurn(({ token }) => delay(token, 60_000));

process.kill(process.pid, 'SIGTERM'); // as a deployment would
await delay(undefined, 20);
try {
  sessions.open('late');
} catch (error) {
  console.log(signals.isDraining, String(error));
}

// Output:
// SIGTERM: nothing new starts
// true TypeError: the registry drains and opens no more sessions
// ended by itself: quick
// stopped: slow shutdown
