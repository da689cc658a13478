/**
 * An engine that is stopped in its tracks, with all of its processes: nothing is refused, and nothing is answered.
 *
 * @module
 */
import { readFileSync } from 'node:fs';

import type { Engine } from './redis.ts';

/** Stops it, or lets it go on. */
export function signalEngine(engine: Engine, name: 'SIGSTOP' | 'SIGCONT'): void {
  const pid = String(engine.pid);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
  for (const one of [pid, ...children]) process.kill(Number(one), name);
}
