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

/** A loop that empties its mailbox before each request, and ends with the last answer. */
export function lateMailbox(model: () => Promise<unknown>): {
  readonly send: (text: string) => void;
  readonly run: () => Promise<readonly string[]>;
} {
  const inbox: string[] = [];
  return {
    send: (text) => void inbox.push(text),
    async run() {
      const told: string[] = [];
      for (let request = 0; request < 2; request++) {
        told.push(...inbox.splice(0));
        await model();
      }
      // What came during the last answer is in nobody's hands.
      return told;
    },
  };
}
