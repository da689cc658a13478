/**
 * Connects a supervised process to whatever may end it: its token, the terminal, the end of our own process.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';

import {
  holdGrace,
  listenKilledThrough,
  listenThrough,
  type CancellationToken,
  type Registration,
  type Releasable,
  tokenOf,
} from '../../core/inside.ts';
import type { TerminalLoan } from '../internal/keyboard/watched-terminals.ts';
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
    claimSignal('SIGINT', () => forward(supervisor, token), 'children'),
    releasing(
      // A command outlives the call that started it, if nobody waits for it; a stop above still reaches it.
      listenThrough(
        tokenOf(token),
        (reason) => {
          // Until the last of it is gone, what waits for the command does not give up before it.
          supervisor.hold(holdGrace(token));
          supervisor.stop(reason);
        },
        undefined,
      ),
    ),
    releasing(
      listenKilledThrough(tokenOf(token), (reason) => {
        supervisor.stop(reason);
        supervisor.force();
      }),
    ),
  );
}

/** How a shell says that a signal has ended its command: this, and the number of the signal. */
const SIGNALLED = 128;

/**
 * Takes the terminal back that a command had, when the run is settled. A command that was killed has left on what it had
 * switched on at the terminal, and so has one that dies with us; one that ended by itself is left its own way.
 */
export function takeBack(
  loan: TerminalLoan,
  child: Pick<ChildProcess, 'exitCode' | 'signalCode'>,
  supervisor: Pick<Supervisor, 'isStopped'>,
): Releasable {
  const wasKilled = (): boolean =>
    supervisor.isStopped || child.signalCode !== null || (child.exitCode ?? 0) > SIGNALLED;
  // After the last of them was killed.
  const atEnd = onProcessEnd('the screen of a child process', () => () => loan.killed?.(), 'children');
  return {
    release: () => {
      atEnd.release();
      if (wasKilled()) loan.killed?.();
      loan.release();
    },
  };
}

/**
 * A process in a group of its own no longer hears the terminal. One whose token somebody can cancel is stopped by that and by nothing
 * else: a program that stops its turn at SIGINT means the turn, and not what runs in the background. Nothing is claimed: where nobody
 * else takes the signal it still ends our own process, and then the end of all of it.
 */
function forward(supervisor: Pick<Supervisor, 'interrupt'>, token: CancellationToken): false {
  if (!token.canBeCancelled) supervisor.interrupt();
  return false;
}

function releasing(registration: Registration): Releasable {
  return { release: () => void registration.unregister() };
}
