/**
 * Makes a transcript of the AI SDK legal, of whichever of its two kinds.
 * The dialect is one because the SDK's users speak of one; what they hold tells which rules apply.
 *
 * @module
 */
import type { DialectResult, SettleOptions } from '../rules.ts';
import { isUITranscript, type AISDKMessage } from './message.ts';
import { settleModelMessages } from './model/model-settle.ts';
import { settleUIMessages } from './ui/ui-settle.ts';

/** Makes a transcript of the AI SDK legal. */
export function settleAISDK(messages: readonly AISDKMessage[], options: SettleOptions): DialectResult<AISDKMessage> {
  if (isUITranscript(messages)) return settleUIMessages(messages, options);
  return settleModelMessages(messages as Parameters<typeof settleModelMessages>[0], options);
}
