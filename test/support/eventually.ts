import { vi } from 'vitest';

/** Waits until a check passes; a machine that has other work may take its time. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 20_000 });
}
