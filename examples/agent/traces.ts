/** `--trace`: a page for each stop that shows who was asked, who ended when, and what is still running. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { InterruptController } from 'desist';
import { record, timelineHtml } from 'desist/inspect';

/** The most operations of one picture; a person looks at the last turn. */
const MOST = { maxOperations: 500 };

export class Traces {
  readonly #folder: string;
  readonly #paths: string[] = [];

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** What was written so far. */
  get paths(): readonly string[] {
    return this.#paths;
  }

  /** Writes a page whenever a turn of the agent was stopped. */
  watch(agent: InterruptController): void {
    const recording = record(agent, MOST);
    // Listens after the recording, which has then heard of the end.
    const listening = agent.onEvent((event) => {
      if (event.type !== 'turn-ended' || event.agent !== agent.name || event.status !== 'cancelled') return;
      const path = join(this.#folder, `desist-trace-${this.#paths.length + 1}.html`);
      writeFileSync(path, timelineHtml(recording.trace()));
      this.#paths.push(path);
      recording.release();
      listening.unregister();
      // The next picture is of the next stop.
      this.watch(agent);
    });
  }
}
