/**
 * One agent without a registry as something that can be drained.
 *
 * Invariant: from the moment its turn is over or its time is, nothing of it starts any more.
 *
 * @module
 */
import { isObject, runUntilCancelled, systemClock, type Clock, type StopReport } from '../../core/inside.ts';
import type { DrainTarget } from './drain-target.ts';

/**
 * One agent; an `InterruptController` is one.
 *
 * @since 0.1.0
 */
export interface DrainableAgent {
  readonly name: string;
  readonly state: 'idle' | 'running' | 'interjecting' | 'cancelling' | 'killing';
  /** Stops everything, and takes no more turns. */
  close(reason: { readonly kind: 'shutdown'; readonly message: string }): Promise<StopReport>;
  /** Ends every grace. */
  kill(reason: { readonly kind: 'shutdown' } | undefined, options: { readonly all: true }): unknown;
  /** Tells when its turn has ended. */
  onEvent(listener: () => void): { unregister(): unknown };
}

/** Whether it is an agent, and no registry. */
export function isAgent(target: unknown): target is DrainableAgent {
  const names = ['close', 'kill', 'onEvent'] as const;
  return isObject(target) && names.every((name) => typeof Reflect.get(target, name) === 'function');
}

/** Lets the running turn end, if there is time for it, then closes the agent. */
export function drainOfAgent(agent: DrainableAgent, clock: Clock = systemClock): DrainTarget {
  return {
    drain: async ({ timeoutMs, token }) => {
      const hurried = token.onKilled(() => void agent.kill({ kind: 'shutdown' }, { all: true }));
      try {
        let closed: Promise<StopReport> | undefined;
        const close = (): void => {
          closed ??= agent.close({ kind: 'shutdown', message: 'The program ends' });
        };
        await runUntilCancelled(token, ({ token: limit }) => turnEnded(agent, limit.onCancelled.bind(limit), close), {
          timeoutMs,
          clock,
          settle: 'abandon',
        });
        close();
        const report = await (closed as unknown as Promise<StopReport>);
        const wasStopped = report.reason !== undefined || report.abandoned.length > 0;
        return {
          finished: wasStopped ? [] : [agent.name],
          stopped: wasStopped ? [{ sessionId: agent.name, report }] : [],
        };
      } finally {
        hurried.unregister();
      }
    },
  };
}

/** Closes in the tick of the end, so that no turn follows. */
function turnEnded(
  agent: DrainableAgent,
  onCancelled: (fn: () => void) => { unregister(): unknown },
  close: () => void,
): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (agent.state !== 'idle') return;
      done(); // first: the close is an event, too
      close();
    };
    const events = agent.onEvent(look);
    const limit = onCancelled(done);
    function done(): void {
      events.unregister();
      limit.unregister();
      resolve();
    }
    look();
  });
}
