/**
 * The door `desist/transcript/langchain`: the messages of LangChain, and the state of a LangGraph.
 *
 * @module desist/transcript/langchain
 */
import { frameworkLoops } from '../../conversation/loops/framework-loops.ts';
import { OpenReplies } from '../../conversation/open-replies.ts';
import type { TranscriptDialect } from '../../dialect.ts';
import { foreignArguments, foreignBut } from '../../reading/require-messages.ts';
import { createDialect } from '../create-dialect.ts';
import { isHalfInLangChain } from './calls.ts';
import { checkLangChain } from './check.ts';
import { langChainHosted } from './hosted.ts';
import { named } from './ids.ts';
import { askText, langChainTurns, requireLangChainMessage, rewrite } from './message.ts';
import type { LangChainAddition, LangChainMessage } from './message.ts';
import { settleLangChain } from './settle.ts';
import {
  callsInLangChain,
  endedInLangChain,
  replyInLangChain,
  resultsForLangChain,
  unreadInLangChain,
} from './speech.ts';

export type { LangChainAddition, LangChainMessage } from './message.ts';

const own = [
  'tool_calls',
  'tool_call_id',
  'tool_use',
  'tool_result',
  'tool_call',
  'input_text',
  'output_text',
  'text',
  'image',
  'image_url',
  'document',
];

/**
 * The messages of LangChain; `BaseMessage` of `@langchain/core` is one.
 *
 * What it adds has no class, because LangChain's cannot be had without LangChain; LangChain takes it wherever it takes
 * messages.
 *
 * @example The calls of a reply
 * ```ts
 * import { langchain } from 'desist/transcript/langchain'
 *
 * const calls = langchain.calls({ role: 'assistant', content: '', tool_calls: [{ id: 'a', name: 'read', args: {} }] })
 * calls.map(({ id, name, input }) => [id, name, input]) // => [['a', 'read', {}]]
 * ```
 * @since 0.1.0
 */
export const langchain: TranscriptDialect<LangChainMessage, LangChainAddition> = /* @__PURE__ */ createDialect({
  name: 'langchain',
  settle: settleLangChain,
  check: checkLangChain,
  turns: langChainTurns,
  requireMessage: requireLangChainMessage,
  foreignIn: (message) => foreignBut(own, message) ?? foreignArguments('arguments', message),
  repliesIn: replyInLangChain,
  ended: endedInLangChain,
  unread: unreadInLangChain,
  callsIn: callsInLangChain,
  isHalf: isHalfInLangChain,
  results: resultsForLangChain,
  rewrite,
  user: askText,
  named,
  hosted: langChainHosted,
  OpenReplies,
  loops: frameworkLoops,
  opening: { role: 'user', content: '-' },
});
