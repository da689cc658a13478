/**
 * Connects a supervised process to whatever may end it: its token, the terminal, the end of our own process.
 *
 * @module
 */
import { holdGrace, type CancellationToken, type Registration, type Releasable } from '../../core/inside.ts';
import { claimSignal, onProcessEnd } from '../internal/process/process-hooks.ts';
import type { Supervisor } from './supervisor.ts';

/**
 * All of it is given back when the run is settled.
 *
 * @param supervisor Of a process that has a pid.
 * @param pid That pid, for messages.
 * @param token Whose cancel stops it; `undefined` for a detached process, which Ctrl+C does not reach either.
 */
export function handOver(
  supervisor: Pick<Supervisor, 'hold' | 'stop' | 'force' | 'interrupt' | 'killNow'>,
  pid: number,
  token: CancellationToken | undefined,
): void {
  supervisor.hold(onProcessEnd(`child process ${String(pid)}`, () => supervisor.killNow(), 'children'));
  if (token === undefined) return;
  supervisor.hold(
    claimSignal('SIGINT', () => forward(supervisor), 'children'),
    releasing(
      token.onCancelled((reason) => {
        // Until the last of it is gone, what waits for the command does not give up before it.
        supervisor.hold(holdGrace(token));
        supervisor.stop(reason);
      }),
    ),
    releasing(
      token.onKilled((reason) => {
        supervisor.stop(reason);
        supervisor.force();
      }),
    ),
  );
}

/**
 * A process in a group of its own no longer hears the terminal. Nothing is claimed: where nobody else takes the signal
 * it still ends our own process, and then the end of all of it.
 */
function forward(supervisor: Pick<Supervisor, 'interrupt'>): false {
  supervisor.interrupt();
  return false;
}

function releasing(registration: Registration): Releasable {
  return { release: () => void registration.unregister() };
}
