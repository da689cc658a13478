/**
 * Rejections that nobody hears, as a fault of what was tried meanwhile.
 *
 * @module
 */
import { setImmediate } from 'node:timers';

interface Host {
  on(event: 'unhandledRejection', listener: (error: unknown) => void): unknown;
  off(event: 'unhandledRejection', listener: (error: unknown) => void): unknown;
}

/**
 * Tries something, and rejects if a rejection went unheard meanwhile. Whatever else happens in the process is counted too.
 *
 * @param attempt What is tried.
 * @cleanup The listener on the process goes at the end.
 */
export async function failUnheard(attempt: () => Promise<void>): Promise<void> {
  const { process } = globalThis as unknown as { readonly process: Host };
  const unheard: unknown[] = [];
  const hear = (error: unknown): void => {
    unheard.push(error);
  };
  process.on('unhandledRejection', hear);
  try {
    await attempt();
    // The process tells of them a turn later.
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  } finally {
    process.off('unhandledRejection', hear);
  }
  if (unheard.length > 0)
    throw new Error(`${String(unheard.length)} unhandled rejections, the first: ${String(unheard[0])}`);
}
