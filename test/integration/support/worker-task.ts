/**
 * A task for a pool: counts until it is told to stop, or for ever if it is deaf.
 *
 * @module
 */
import { receiveToken } from '../../../src/adapters/worker/index.ts';
import type { TokenHandle } from '../../../src/adapters/worker/share-token.ts';

export interface PoolTask {
  readonly how: 'asks' | 'deaf' | 'adds';
  readonly handle: TokenHandle;
}

export default function count({ how, handle }: PoolTask): string {
  const { token, release } = receiveToken(handle);
  let rounds = 0;
  while (how !== 'adds' && (how === 'deaf' || !token.isCancelled)) rounds = (rounds + 1) | 0;
  const said = how === 'adds' ? 'added' : `stopped by ${String(token.reason?.by)}`;
  release();
  return said;
}
