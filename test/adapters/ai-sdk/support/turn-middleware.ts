/**
 * The middleware that a model of a loop gets, alone.
 *
 * @module
 */
import { LoopRecord } from '../../../../src/adapters/internal/framework/loop-record.ts';
import { LoopPrompts } from '../../../../src/adapters/ai-sdk/loop-prompts.ts';
import { aiMessages } from '../../../../src/adapters/ai-sdk/loop-record.ts';
import { loopMiddleware, type TurnMiddleware } from '../../../../src/adapters/ai-sdk/middleware.ts';
import type { Turn } from '../../../../src/index.ts';

export function turnMiddleware(turn: Omit<Turn, 'model'>): TurnMiddleware {
  const record = new LoopRecord(turn, aiMessages, { isAside: false, mayRunUnseen: true });
  return loopMiddleware({}, { record, prompts: new LoopPrompts() });
}
