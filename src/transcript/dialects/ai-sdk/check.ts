/**
 * Finds every breach of the AI SDK's rules in a transcript, of whichever of its two kinds.
 *
 * @module
 */
import type { IdPolicy } from '../../dialect.ts';
import type { Note } from '../rules.ts';
import { isUITranscript, type AISDKMessage } from './message.ts';
import { checkModelMessages } from './model/model-check.ts';
import { checkUIMessages } from './ui/ui-check.ts';

/** Notes every breach, message by message. */
export function checkAISDK(
  messages: readonly AISDKMessage[],
  ...how: [note: Note, ids: IdPolicy, isOver?: boolean]
): void {
  if (isUITranscript(messages)) checkUIMessages(messages, ...how);
  else checkModelMessages(messages as Parameters<typeof checkModelMessages>[0], ...how);
}
