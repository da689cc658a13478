import { vi } from 'vitest';

import { machineFactor } from './machine-factor.ts';

/** Waits until a check passes; a machine that has other work may take its time. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 20_000 * machineFactor() });
}
