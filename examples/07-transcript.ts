/**
 * The person presses Stop in the middle of a batch of tool calls. The provider would refuse the conversation as it is
 * now; settled, it goes on, and the model knows what happened to each call.
 */
import { createReason, type ToolOutcome } from 'desist';
import { checkTranscript, settleTranscript } from 'desist/transcript';
import { aiSDK } from 'desist/transcript/ai-sdk';
import { anthropic as dialect } from 'desist/transcript/anthropic';
import { langchain } from 'desist/transcript/langchain';

const use = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} });
const conversation = [
  { role: 'user' as const, content: 'Tidy up the repository.' },
  { role: 'assistant' as const, content: [use('toolu_1', 'list'), use('toolu_2', 'rewrite'), use('toolu_3', 'push')] },
];
for (const { at, what } of checkTranscript(conversation, { dialect })) console.log(`message ${String(at)}:`, what);

// In a loop these come with the turn's report: `report.calls` and `report.stop?.reason`.
const reason = createReason({ kind: 'user', at: 0 });
const outcomes: ToolOutcome[] = [
  { id: 'toolu_1', name: 'list', call: {}, ms: 3, status: 'completed', value: ['README.md'] },
  { id: 'toolu_2', name: 'rewrite', call: {}, ms: 90, status: 'stopped', reason, partial: '2 of 5 files' },
  { id: 'toolu_3', name: 'push', call: {}, ms: 0, status: 'not-started', reason },
];
const { messages, changes } = settleTranscript(conversation, { dialect, outcomes, reason });
for (const { what } of changes) console.log(what);
for (const block of messages[2]?.content ?? []) console.log('-', (block as { content?: string }).content);

console.log('violations now:', checkTranscript(messages, { dialect }).length);
console.log('changes the second time:', settleTranscript(messages, { dialect, outcomes, reason }).changes.length);

// The same stop where the AI SDK keeps a chat, and where LangChain keeps its messages.
const chat = [
  { id: '1', role: 'user' as const, parts: [{ type: 'text', text: 'Push it.' }] },
  {
    id: '2',
    role: 'assistant' as const,
    parts: [
      { type: 'text', text: 'Pushing', state: 'streaming' },
      { type: 'tool-push', toolCallId: 'toolu_3', state: 'input-available', input: {} },
    ],
  },
];
const rows = outcomes.slice(2);
const settledChat = settleTranscript(chat, { dialect: aiSDK, outcomes: rows, reason });
for (const part of settledChat.messages[1]?.parts ?? [])
  console.log('ai-sdk:', part.type, (part as { state?: string }).state);

const chain = [
  ['human', 'Push it.'],
  { role: 'assistant', content: 'Pushing', tool_calls: [{ id: 'toolu_3', name: 'push', args: {} }] },
];
const settledChain = settleTranscript(chain, { dialect: langchain, outcomes: rows, reason });
const answer = settledChain.messages[2] as { role?: string; tool_call_id?: string; status?: string };
console.log('langchain:', answer.role, answer.tool_call_id, answer.status);

// Output:
// message 1: list (toolu_1) has no result in the user message directly after it
// message 1: rewrite (toolu_2) has no result in the user message directly after it
// message 1: push (toolu_3) has no result in the user message directly after it
// answered list (toolu_1): completed
// answered rewrite (toolu_2): stopped
// answered push (toolu_3): not-started
// - ["README.md"]
// - This call was stopped part-way: the user cancelled. What it had already done may remain. Do not retry it; wait for instructions.
// Output so far:
// 2 of 5 files
// - This call was not started, so nothing happened: the user cancelled. Do not retry it; wait for instructions.
// violations now: 0
// changes the second time: 0
// ai-sdk: text done
// ai-sdk: tool-push output-error
// langchain: tool toolu_3 error
