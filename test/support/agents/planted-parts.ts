/** Two parts of agents as people write them, each with its fault. */
import { delay } from '../../../src/index.ts';

/** Tries a tool again, whatever it was that went wrong. */
export async function swallowing(signal: AbortSignal): Promise<string> {
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      await delay(signal, 100);
      return 'the tool has answered';
    } catch {
      // A stop is an error like any other here.
    }
  }
  return 'the tool does not answer';
}

/** A loop that empties its mailbox before each request, and ends with the last answer; after that it takes no message. */
export function lateMailbox(model: () => Promise<unknown>): {
  /** Whether it was taken; otherwise the person has it back. */
  readonly send: (text: string) => boolean;
  readonly run: () => Promise<readonly string[]>;
} {
  const inbox: string[] = [];
  let isOver = false;
  return {
    send(text) {
      if (!isOver) inbox.push(text);
      return !isOver;
    },
    async run() {
      const told: string[] = [];
      for (let request = 0; request < 2; request++) {
        told.push(...inbox.splice(0));
        await model();
      }
      // What came during the last answer is in nobody's hands.
      isOver = true;
      return told;
    },
  };
}
