/**
 * Who speaks in a transcript of the AI SDK, of whichever of its two kinds.
 *
 * @module
 */
import type { TurnReader } from '../rules.ts';
import type { AISDKMessage } from './message.ts';
import { doneText } from './ui/ui-message.ts';

/** How the AI SDK shows a turn. */
export const aiSDKTurns: TurnReader<AISDKMessage> = {
  isPrompt: (message) => message.role === 'user',
  isReply: (message) => message.role === 'assistant',
  say(text, last) {
    if (last === undefined || !('parts' in last)) return { role: 'assistant', content: text };
    // Derived, so that it is the same next time.
    return { id: `${last.id ?? 'message'}_cut`, role: 'assistant', parts: [doneText(text)] };
  },
};
