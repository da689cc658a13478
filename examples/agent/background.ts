/** Work that goes on after the turn that started it: a stop of the turn leaves it alone, a stop of everything ends it. */
import type { ToolContext, ToolOutcome } from 'desist';
import { inputOf, type Call } from './chat-model.ts';
import type { Tool } from './tools.ts';

/** What became of a job, for the person. */
function ending(name: string, outcome: ToolOutcome | undefined): string {
  return `the background job has ended, ${outcome?.status ?? 'failed'}: ${name}`;
}

export class Background {
  readonly #running = new Set<{ readonly name: string }>();
  readonly #ended: string[] = [];

  /** The jobs that run now. */
  get running(): readonly string[] {
    return [...this.#running].map(({ name }) => name);
  }

  /** Starts a call in a detached sub-agent, with a turn, a ledger and a stop report of its own. */
  start(call: Call, { subagent }: ToolContext<Call>, run: Tool['run']): void {
    const job = { name: String(inputOf(call)['command']) };
    const agent = subagent('background', { detached: true });
    this.#running.add(job);
    void agent
      .runTurn((turn) => turn.tool(call, (own, context) => run(inputOf(own), context)))
      .then(({ calls: [outcome] }) => {
        this.#running.delete(job);
        this.#ended.push(ending(job.name, outcome));
      });
  }

  /** A line for each job that has ended since the last look. */
  takeEnded(): readonly string[] {
    return this.#ended.splice(0);
  }
}
