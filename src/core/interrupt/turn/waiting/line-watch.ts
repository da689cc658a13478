/**
 * Says so where a turn may wait for ever: it waits in line behind a turn that perhaps awaits it. Nobody can see who awaits
 * a promise; but a body that has had nothing running for so long waits for something that the agent does not know of.
 *
 * @module
 */
import { show } from '../../../foundation/check.ts';
import type { Clock } from '../../../foundation/clock.ts';
import type { Releasable } from '../../../foundation/disposable.ts';

/** How long nothing has to run. */
const STILL_MS = 10_000;

/** An agent with a line. */
interface LinedAgent {
  readonly name: string;
  readonly clock: Clock;
  readonly current:
    | {
        readonly id: number;
        readonly operations: { readonly isIdle: boolean; readonly starts: number; whenIdle(): Promise<void> };
      }
    | undefined;
  /** Reports misuse. */
  report(error: unknown): void;
}

/** Watches for as long as the turn waits; reports it once. While something runs there is no timer: a clock comes to its end. */
export function watchLine(agent: LinedAgent, turnId: number): Releasable {
  let timer: Releasable | undefined;
  let isOver = false;
  const look = (): void => {
    if (isOver) return;
    const { current } = agent;
    if (current?.operations.isIdle === false) {
      void current.operations.whenIdle().then(look);
      return;
    }
    const starts = current?.operations.starts;
    timer = agent.clock.setTimer(
      () => {
        const isSame = current !== undefined && current === agent.current;
        if (!isSame || !current.operations.isIdle || current.operations.starts !== starts) {
          look();
          return;
        }
        const behind = `turn ${String(turnId)} of ${show(agent.name)} waits in line behind turn ${String(current.id)}`;
        const still = `of which nothing but its body has run for ${String(STILL_MS)} ms`;
        const advice = 'if that awaits it, neither goes on: start it when that has ended, or send a message';
        agent.report(new TypeError(`${behind}, ${still}; ${advice}`));
      },
      STILL_MS,
      { ref: false },
    );
  };
  look();
  return {
    release: () => {
      isOver = true;
      timer?.release();
    },
  };
}
