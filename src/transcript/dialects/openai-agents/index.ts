/**
 * The door `desist/transcript/openai-agents`: the items of a run of OpenAI Agents, which are the input of the next.
 *
 * @module desist/transcript/openai-agents
 */
import { frameworkLoops } from '../../conversation/loops/framework-loops.ts';
import type { TranscriptDialect } from '../../dialect.ts';
import { askText, requireItem } from '../../items/item.ts';
import { isHalfItem } from '../../items/speech.ts';
import { carriedEnd, responseEnd } from '../../reading/ends/carried-end.ts';
import { field } from '../../reading/fields.ts';
import { foreignBut } from '../../reading/require-messages.ts';
import { createDialect } from '../create-dialect.ts';
import { checkOpenAIAgents } from './check.ts';
import { agentsTurns, named, type OpenAIAgentsItem } from './item.ts';
import { settleOpenAIAgents } from './settle.ts';
import {
  agentsHosted,
  agentsOrders,
  agentsQuestions,
  callsInAgents,
  repliesInAgents,
  resultsForAgents,
} from './speech.ts';

export type { OpenAIAgentsItem } from './item.ts';

const own = ['callId', 'input_text', 'output_text', 'image'];
const bothForms = ['callId', 'call_id', 'input_text', 'output_text', 'image'];

/**
 * The items of OpenAI Agents; `AgentInputItem` of `@openai/agents` is one, whichever provider its models call.
 *
 * The messages of a `Conversation` in it are the input of the next `run`, whatever stopped the one before. What a hosted server of MCP asks
 * has a no until it is answered: by `onApproval`, by the state of a run that goes on, or by an item that is pushed.
 *
 * @example A call that was stopped before it ran
 * ```ts
 * import { repair } from 'desist/transcript'
 * import { openaiAgents } from 'desist/transcript/openai-agents'
 *
 * const prompt = { type: 'message', role: 'user', content: 'Pay.' }
 * const call = { type: 'function_call', callId: 'call_1', name: 'pay', arguments: '{}', status: 'completed' }
 * const { messages } = repair([prompt, call], { dialect: openaiAgents })
 * messages[2]?.type // => 'function_call_result'
 * ```
 * @since 0.1.0
 */
export const openaiAgents: TranscriptDialect<OpenAIAgentsItem> = /* @__PURE__ */ createDialect({
  name: 'openai-agents',
  settle: settleOpenAIAgents,
  check: checkOpenAIAgents,
  turns: agentsTurns,
  requireMessage: requireItem,
  // The SDK has searches for tools in both forms.
  foreignIn: (message) => foreignBut(String(message['type']).startsWith('tool_search_') ? bothForms : own, message),
  isHeld: true,
  repliesIn: repliesInAgents,
  ended: (reply) => carriedEnd([field(reply, 'providerData')]) ?? responseEnd(reply),
  callsIn: callsInAgents,
  isHalf: isHalfItem,
  results: resultsForAgents,
  user: askText,
  hosted: agentsHosted,
  questions: agentsQuestions,
  orders: agentsOrders,
  named,
  loops: frameworkLoops,
  opening: /* @__PURE__ */ askText('-'),
});
