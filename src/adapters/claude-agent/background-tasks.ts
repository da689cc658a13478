/**
 * What the executable runs beside its prompts – a shell, a sub-agent – as background work of the agent: a stop of the turn
 * spares it, and each piece has a stop of its own.
 *
 * @module
 */
import { isObject, type InterruptController } from '../../core/inside.ts';
import { textsIn, type Frame, type OwnQuery } from './shapes.ts';

interface Task {
  /** How it ended, as the executable tells it; an error where it will tell nothing. */
  readonly end: (how: Frame | Error | undefined) => void;
  readonly cancel: () => void;
}

/** The tasks of one process. */
export class BackgroundTasks {
  readonly #agent: Pick<InterruptController, 'background'>;
  readonly #stop: (id: string) => void;
  readonly #tasks = new Map<string, Task>();
  /** What was told of those that are about to leave the list. */
  readonly #notes = new Map<string, Frame>();
  /** The call that started a task. */
  readonly #calls = new Map<string, string>();
  /** The task of each call that one has made. */
  readonly #made = new Map<string, string>();

  constructor(agent: Pick<InterruptController, 'background'>, query: Pick<OwnQuery, 'stopTask'>) {
    this.#agent = agent;
    this.#stop = (id) => {
      // It answers when it has been told; what came of it is in the list.
      Promise.resolve(query.stopTask?.(id)).catch(() => undefined);
    };
  }

  /** Whether a task, or the sub-agent with its id, runs there. */
  has(id: unknown): boolean {
    return this.#tasks.has(String(id));
  }

  /** A call is about to begin; returns whether it is one of a task. */
  begin(id: unknown, callId: string): boolean {
    const isOfTask = this.has(id);
    if (isOfTask) this.#made.set(callId, String(id));
    return isOfTask;
  }

  /** Whether a call is one of a task that runs. */
  runs(callId: string): boolean {
    return this.has(this.#made.get(callId));
  }

  /** Stops what a call runs, if it is a task. */
  stopOf(callId: string): void {
    const id = this.#calls.get(callId);
    if (id !== undefined) this.#stop(id);
  }

  /** Stops each. */
  cancel(): void {
    for (const { cancel } of this.#tasks.values()) cancel();
  }

  /** Reads what a message says of tasks. */
  follow({ subtype, tasks, task_id: id, tool_use_id: call, ...rest }: Frame): void {
    if (subtype === 'task_started' && typeof id === 'string' && typeof call === 'string') this.#calls.set(call, id);
    if (subtype === 'task_notification' && typeof id === 'string') {
      for (const [of, task] of this.#calls) if (task === id) this.#calls.delete(of);
      if (this.#tasks.has(id)) this.#notes.set(id, rest);
    }
    if (subtype === 'background_tasks_changed' && Array.isArray(tasks)) this.#replace(tasks);
  }

  /** The process has ended, and with it everything that it ran. */
  ended(error: Error): void {
    for (const { end } of this.#tasks.values()) end(error);
    this.#tasks.clear();
  }

  /** The whole list, with each change of it. */
  #replace(tasks: readonly unknown[]): void {
    const listed = new Map<string, string>();
    for (const task of tasks) {
      const { task_id: id, description, task_type: type, ambient } = (isObject(task) ? task : {}) as Fields;
      const [name = 'task'] = textsIn([description, type]).filter((text) => text !== '');
      if (typeof id === 'string' && ambient !== true) listed.set(id, name);
    }
    for (const [id, { end }] of this.#tasks) {
      if (listed.has(id)) continue;
      this.#tasks.delete(id);
      for (const [callId, of] of this.#made) if (of === id) this.#made.delete(callId);
      end(this.#notes.get(id));
      this.#notes.delete(id);
    }
    for (const [id, name] of listed) if (!this.#tasks.has(id)) this.#start(id, name);
  }

  #start(id: string, name: string): void {
    let end: Task['end'] = () => undefined;
    const ended = new Promise<Frame | Error | undefined>((resolve) => {
      end = resolve;
    });
    let cancel: Task['cancel'] = () => {
      this.#stop(id);
    };
    this.#tasks.set(id, {
      end,
      cancel: () => {
        cancel();
      },
    });
    try {
      const piece = this.#agent.background(name, async ({ token, checkpoint }) => {
        const stop = token.onCancelled(() => {
          this.#stop(id);
        });
        const how = await ended.finally(() => {
          stop.unregister();
        });
        checkpoint();
        if (how instanceof Error) throw how;
        if (how?.status === 'failed' || how?.status === 'stopped')
          throw new Error(`${how.status}: ${String(how.summary)}`);
        return how?.summary;
      });
      cancel = () => {
        piece.cancel();
      };
    } catch {
      // A closed agent has no background: nobody could stop it there.
      this.#stop(id);
    }
  }
}

interface Fields {
  readonly task_id?: unknown;
  readonly description?: unknown;
  readonly task_type?: unknown;
  readonly ambient?: unknown;
}
