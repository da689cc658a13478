/**
 * The server's side: every task that another program starts here is a turn, and is called cancelled only when it is.
 *
 * Invariants: a task has one record for as long as anything of it runs; it is announced before anything else happens to it,
 * and concluded once, after the last of its turns has settled; a turn that has settled publishes nothing.
 *
 * Prior art: the `AgentExecutor` of `@a2a-js/sdk`.
 *
 * @module
 */
import {
  callSafely,
  CancellationTokenSource,
  type CancelReasonInit,
  InterruptController,
  type OptionNames,
  requireFunction,
  requireMs,
  requireOptions,
  tokenOf,
  type Turn,
  type TurnReport,
} from '../../core/inside.ts';
import { requireId } from '../internal/remote-work/remote-words.ts';

/**
 * What every request to an A2A executor says of its task.
 *
 * @since 0.1.0
 */
export interface TaskContextLike {
  readonly taskId: string;
}

/**
 * Where an executor publishes its events.
 *
 * @since 0.1.0
 */
export interface TaskBusLike<E> {
  /** Sends an event to whoever follows the task. */
  publish(event: E): void;
}

/**
 * Options of {@link turnExecutor}.
 *
 * @since 0.1.0
 */
export interface TurnExecutorOptions<C extends TaskContextLike, E> {
  /** The event that names the task, published before the body runs: what has no name cannot be cancelled. */
  readonly announce: (context: C) => E;
  /** The last event, made of the report of the last turn: `cancelled` is a state of its own, and `failed` another. */
  readonly conclude: (context: C, report: TurnReport<unknown>) => E;
  /** Milliseconds that the work of a task may take to stop, 1,000 by default. */
  readonly graceMs?: number | undefined;
  /** Told of each turn that has ended, with what it left behind. What it throws is reported. */
  readonly onTurnEnd?: ((report: TurnReport<unknown>, context: C) => void) | undefined;
}

/**
 * An executor for A2A's request handler.
 *
 * @since 0.1.0
 */
export interface TurnExecutor<C extends TaskContextLike, E> {
  /**
   * Runs a task as a turn; resolves when its last event is published. Another message for a task that runs is its next turn:
   * the task is announced once, and concluded once, by its last turn. One for a task that was cancelled runs nothing.
   */
  readonly execute: (context: C, bus: TaskBusLike<E>) => Promise<void>;
  /** Stops all turns of the task. The handler waits for the event that `execute` publishes when they have settled. */
  readonly cancelTask: (taskId: string) => Promise<void>;
  /** Stops every task, also those that come from now on, and waits until all have settled: for the end of the server. */
  readonly close: (reason?: CancelReasonInit | string) => Promise<void>;
}

/** What there is of a task while anything of it runs. */
class TaskRecord {
  /** Stops its turns, and those that it may get still. */
  readonly source: CancellationTokenSource;
  readonly controller: InterruptController;
  /** How many of its turns have not ended. */
  open = 0;
  /** Resolves when its last event was published. */
  readonly over: Promise<void>;
  settle: () => void = () => undefined;

  constructor(server: CancellationTokenSource, name: string, graceMs: number | undefined) {
    this.source = new CancellationTokenSource({ parent: server.token });
    this.controller = new InterruptController({ name, graceMs });
    this.over = new Promise((resolve) => {
      this.settle = resolve;
    });
  }
}

const optionNames: OptionNames<TurnExecutorOptions<TaskContextLike, unknown>> = {
  announce: 1,
  conclude: 1,
  graceMs: 1,
  onTurnEnd: 1,
};

/**
 * Makes an executor in which each task is a turn: its model calls and tools hear of a cancel, the task becomes
 * `CANCELED` when they have settled or their grace is over, and a task that is told twice is told once.
 *
 * The samples of A2A look at a set of cancelled ids between two steps, so that a step which takes long makes the client
 * wait, and one that never ends makes it wait for ever.
 *
 * @checkpoint never
 * @cleanup Nothing of a task is kept once its last event was published.
 * @param body The work of one task, as the body of a turn; `publish` is silent once the turn has settled.
 * @param options The first and the last event of a task, in the words of your version of the SDK; the grace.
 * @returns The executor, and `close` for the end of the server.
 * @throws TypeError – arguments that make no sense.
 * @example
 * ```ts
 * import { turnExecutor } from 'desist/remote-run'
 *
 * const executor = turnExecutor(async (turn, context: { taskId: string }) => void turn.checkpoint(), {
 *   announce: ({ taskId }) => ({ taskId, state: 'working' }),
 *   conclude: ({ taskId }, report) => ({ taskId, state: report.status }),
 * })
 * const events: unknown[] = []
 * await executor.execute({ taskId: 't1' }, { publish: (event) => events.push(event) })
 * events // => [{ taskId: 't1', state: 'working' }, { taskId: 't1', state: 'completed' }]
 * ```
 * @source A2A specification, "Task states"
 * @since 0.1.0
 */
export function turnExecutor<C extends TaskContextLike, E>(
  body: (turn: Turn, context: C, bus: TaskBusLike<E>) => unknown,
  options: TurnExecutorOptions<C, E>,
): TurnExecutor<C, E> {
  requireFunction('body', body);
  requireOptions(options, optionNames);
  const { announce, conclude, graceMs, onTurnEnd } = options;
  requireFunction('options.announce', announce);
  requireFunction('options.conclude', conclude);
  if (onTurnEnd !== undefined) requireFunction('onTurnEnd', onTurnEnd);
  if (graceMs !== undefined) requireMs('graceMs', graceMs, 'infinity-allowed');
  const server = new CancellationTokenSource();
  const tasks = new Map<string, TaskRecord>();

  /** The report of one turn of the task. */
  const run = async (task: TaskRecord, context: C, bus: TaskBusLike<E>): Promise<TurnReport<unknown>> => {
    let isOpen = true;
    const publish = (event: E): void => {
      if (isOpen) bus.publish(event);
    };
    const work = (turn: Turn): unknown => body(turn, context, { publish });
    task.open++;
    try {
      const report = await task.controller.runTurn(work, { token: task.source.token, whenBusy: 'queue' });
      callSafely(tokenOf(task.source.token), onTurnEnd, report, context);
      return report;
    } finally {
      isOpen = false;
      task.open--;
    }
  };

  return {
    async execute(context, bus) {
      const { taskId } = context;
      requireId('context.taskId', taskId);
      let task = tasks.get(taskId);
      if (task === undefined) {
        bus.publish(announce(context));
        task = new TaskRecord(server, taskId, graceMs);
        tasks.set(taskId, task);
      }
      const report = await run(task, context, bus);
      if (task.open > 0) {
        await task.over;
        return;
      }
      tasks.delete(taskId);
      task.source.release();
      try {
        bus.publish(conclude(context, report));
      } finally {
        task.settle();
      }
    },
    cancelTask(taskId) {
      tasks.get(taskId)?.source.cancel({ kind: 'user', by: 'client' });
      return Promise.resolve();
    },
    async close(reason = 'disconnect') {
      server.cancel(reason);
      while (tasks.size > 0) await Promise.all([...tasks.values()].map(({ over }) => over));
    },
  };
}
