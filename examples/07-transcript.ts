/**
 * The person presses Stop in the middle of a batch of tool calls. The conversation can be sent all the same, and the model
 * knows what happened to each call. What somebody else left broken is repaired.
 */
import { InterruptController, delay } from 'desist';
import { Conversation, checkTranscript, repair } from 'desist/transcript';
import { aiSDKUI } from 'desist/transcript/ai-sdk';
import { anthropic, type AnthropicMessage } from 'desist/transcript/anthropic';

const use = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} });
const asked = {
  role: 'assistant' as const,
  content: [use('toolu_1', 'list'), use('toolu_2', 'rewrite'), use('toolu_3', 'push')],
};

const agent = new InterruptController();
const chat = new Conversation<AnthropicMessage>(anthropic);
const report = await chat.runTurn(agent, 'Tidy up the repository.', async (turn) => {
  const reply = await turn.model(() => asked); // your client, with `messages` of the context
  await turn.tools(
    reply.calls,
    async ({ name }, { token, partial }) => {
      if (name === 'list') return ['README.md'];
      partial('2 of 5 files');
      agent.cancel('user');
      return delay(token, 60_000);
    },
    { mode: 'sequential' },
  );
});
for (const { name, status } of report.calls) console.log(`${name}: ${status}`);
const results = chat.messages.at(-1)?.content as readonly { readonly content?: string }[];
for (const { content } of results) console.log('-', content);
console.log('violations:', checkTranscript(chat.messages, { dialect: anthropic }).length);

// The same list, as a program stored it that died before a tool had run.
const stored = [{ role: 'user' as const, content: 'Tidy up the repository.' }, asked];
const repaired = repair(stored, { dialect: anthropic });
for (const { at, what } of repaired.changes) console.log(`message ${String(at)}:`, what);
console.log('changes the second time:', repair(repaired.messages, { dialect: anthropic }).changes.length);

// And where the AI SDK keeps a chat.
const page = [
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
for (const part of repair(page, { dialect: aiSDKUI }).messages[1]?.parts ?? [])
  console.log('ai-sdk:', part.type, (part as { state?: string }).state);

// Output:
// list: completed
// rewrite: stopped
// push: not-started
// - ["README.md"]
// - This call was stopped part-way: the user cancelled. What it had already done may remain. Do not retry it; wait for instructions.
// Output so far:
// 2 of 5 files
// - This call was not started, so nothing happened: the user cancelled. Do not retry it; wait for instructions.
// violations: 0
// message 1: list (toolu_1) has no result in the user message directly after it
// message 1: rewrite (toolu_2) has no result in the user message directly after it
// message 1: push (toolu_3) has no result in the user message directly after it
// changes the second time: 0
// ai-sdk: text done
// ai-sdk: tool-push output-error
