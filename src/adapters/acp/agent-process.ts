/**
 * The process of an agent: stopped with everything it started, once, and killed if our own program ends first.
 *
 * Prior art: systemd's `KillMode=control-group`.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';

import { type Clock, type Releasable, show } from '../../core/inside.ts';
import { onProcessEnd } from '../internal/process/process-hooks.ts';
import { ownMarker } from '../internal/process/run-marker.ts';
import { StoppableProcess, type Survivors } from '../internal/process/stoppable-process.ts';
import { carriedMarker, hostFamily } from '../internal/process/tree-host.ts';

/**
 * An agent that did not answer a cancel.
 *
 * @since 0.1.0
 */
export interface AcpAgentStop {
  readonly sessionId: string;
  /** `undefined` if no process was given. */
  readonly pid: number | undefined;
  /** Processes of the agent that are alive all the same; `unknown` if that could not be found out. */
  readonly survivors: Survivors;
}

/** One agent's process. */
export class AgentProcess {
  readonly pid: number;
  readonly #process: StoppableProcess;
  readonly #hook: Releasable;
  #stopping: Promise<Survivors> | undefined;

  /**
   * @param child Alive now.
   * @param env What it was started with, if that is known.
   * @throws TypeError – a process that was not started.
   */
  constructor(
    child: { readonly pid?: number | undefined },
    env: Readonly<Record<string, string | undefined>> | undefined,
  ) {
    const { pid } = child;
    if (typeof pid !== 'number') {
      throw new TypeError(`agentProcess must be a process that has started, got pid ${show(pid)}`);
    }
    this.pid = pid;
    const marker = ownMarker(env, process.env);
    this.#process = new StoppableProcess(pid, hostFamily(pid, marker ?? (() => carriedMarker(pid))));
    this.#hook = onProcessEnd(`acp agent ${String(pid)}`, () => this.#process.killNow(), 'children');
    // One that has ended leaves nothing to be killed; of a mere pid that is not told.
    (child as Partial<ChildProcess>).once?.('exit', () => this.#hook.release());
  }

  /** Whether it was told to stop: for one prompt, or by whoever closes the client. */
  get isStopping(): boolean {
    return this.#stopping !== undefined;
  }

  /**
   * Stops it; a second call gives the same answer.
   *
   * @param graceMs Milliseconds from SIGTERM to SIGKILL.
   * @param clock Measures them.
   * @returns Who is alive all the same.
   */
  stop(graceMs: number, clock: Clock): Promise<Survivors> {
    return (this.#stopping ??= this.#process.stop(graceMs, clock).finally(() => this.#hook.release()));
  }
}
