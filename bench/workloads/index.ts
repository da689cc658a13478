/**
 * Every workload by its number, loaded one at a time: each runs in a process of its own.
 *
 * @module
 */
import type { Workload } from '../workload.ts';

export const workloads: Readonly<Record<string, () => Promise<{ readonly workload: Workload }>>> = {
  G1: () => import('./g01-check.ts'),
  G2: () => import('./g02-check-native.ts'),
  G3: () => import('./g03-create.ts'),
  G4: () => import('./g04-register.ts'),
  G5: () => import('./g05-child.ts'),
  G6: () => import('./g06-child-callback.ts'),
  G7: () => import('./g07-libraries.ts'),
  G8: () => import('./g08-cancel.ts'),
  G9: () => import('./g09-many-callbacks.ts'),
  G10: () => import('./g10-idle-children.ts'),
  G11: () => import('./g11-chain.ts'),
  G12: () => import('./g12-bytes.ts'),
  G13: () => import('./g13-forgotten.ts'),
  G14: () => import('./g14-race.ts'),
  G15: () => import('./g15-iterate.ts'),
  G16: () => import('./g16-wake.ts'),
  G17: () => import('./g17-polling.ts'),
  G18: () => import('./g18-deadline.ts'),
  G19: () => import('./g19-tool-call.ts'),
  G20: () => import('./g20-signal.ts'),
  G21: () => import('./g21-worker-flag.ts'),
  G22: () => import('./g22-many-commands.ts'),
  G23: () => import('./g23-unrelated.ts'),
  G24: () => import('./g24-read-stream.ts'),
  G25: () => import('./g25-shared-stream.ts'),
  G26: () => import('./g26-settle-growth.ts'),
  G27: () => import('./g27-virtual-clock.ts'),
  G28: () => import('./g28-growth.ts'),
  G29: () => import('./g29-stop-growth.ts'),
  D1: () => import('./d1-keys.ts'),
  T1: () => import('./t1-transcript.ts'),
  T2: () => import('./t2-conversation.ts'),
  W1: () => import('./w1-turn.ts'),
  W2: () => import('./w2-many-turns.ts'),
  W3: () => import('./w3-key-press.ts'),
  W4: () => import('./w4-turn-cost.ts'),
  W7: () => import('./w7-trees.ts'),
  W8: () => import('./w8-remote-stops.ts'),
  W9: () => import('./w9-stop-bursts.ts'),
};
