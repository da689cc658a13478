/**
 * Who speaks in a transcript of LangChain's.
 *
 * @module
 */
import type { TurnReader } from '../rules.ts';
import { speakerOf, type LangChainMessage } from './message.ts';

/** How LangChain shows a turn. */
export const langChainTurns: TurnReader<LangChainMessage> = {
  isPrompt: (message) => speakerOf(message) === 'human',
  isReply: (message) => speakerOf(message) === 'ai',
  say: (content) => ({ role: 'assistant', content }),
};
