/**
 * Another model goes on with a conversation: what `repair` leaves to the program. Ids for Mistral, words in the place of pictures, signatures
 * for Gemini 3, and a log of one's own that is written for two APIs.
 */
import { createHash } from 'node:crypto';
import { createPartFromFunctionResponse, GoogleGenAI, type Content, type Part } from '@google/genai';
import type { ModelMessage } from 'ai';
import type { ToolOutcome } from 'desist';
import { startModelServer } from 'desist/testing';
import { messageWriter, repair } from 'desist/transcript';
import { anthropic, type AnthropicMessage } from 'desist/transcript/anthropic';
import { openaiChat, type OpenAIChatMessage } from 'desist/transcript/openai-chat';

/** Mistral takes ids of nine letters and digits. For the messages of the AI SDK that `repair` gave. */
function forMistral(settled: readonly ModelMessage[]): ModelMessage[] {
  const nine = (id: string): string => createHash('sha256').update(id).digest('hex').slice(0, 9);
  return settled.map((message) => {
    if (typeof message.content === 'string') return message;
    const content = message.content.map((part) =>
      'toolCallId' in part ? { ...part, toolCallId: nine(part.toolCallId) } : part,
    );
    return { ...message, content } as ModelMessage;
  });
}

const asked = { type: 'tool-call', toolCallId: 'toolu_01A', toolName: 'read', input: {} } as const;
console.log('Mistral:', JSON.stringify(forMistral([{ role: 'assistant', content: [asked] }])));

/** For a model that takes no pictures in a reply. */
function withoutPictures(settled: readonly ModelMessage[]): ModelMessage[] {
  return settled.map((message) => {
    if (message.role !== 'assistant' || typeof message.content === 'string') return message;
    const content = message.content.map((part) =>
      part.type === 'file' ? { type: 'text' as const, text: `[${part.mediaType}]` } : part,
    );
    return { ...message, content };
  });
}

const drawn = { type: 'file', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
console.log('Pictures:', JSON.stringify(withoutPictures([{ role: 'assistant', content: [drawn] }])[0]?.content));

/** Older models of Gemini sign no calls, and Gemini 3 wants the first of each step signed: this is the API's own placeholder. */
function forGemini3(settled: readonly Content[]): Content[] {
  return settled.map((content) => {
    const { parts = [] } = content;
    const first = parts.find((part) => part.functionCall !== undefined);
    if (first === undefined || first.thoughtSignature !== undefined) return content;
    const signed: Part = { ...first, thoughtSignature: 'skip_thought_signature_validator' };
    return { ...content, parts: parts.map((part) => (part === first ? signed : part)) };
  });
}

const server = await startModelServer({ script: ['Two lines.'] });
const { models } = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: server.url } });
const contents: Content[] = [
  { role: 'user', parts: [{ text: 'How long is a.txt?' }] },
  { role: 'model', parts: [{ functionCall: { name: 'read', args: { path: 'a.txt' } } }] },
  { role: 'user', parts: [createPartFromFunctionResponse('', 'read', { output: 'one' })] },
];
const model = 'gemini-3-pro-preview';
const refused = await models.generateContent({ model, contents }).then(
  () => '',
  (error: unknown) => (error as Error).message,
);
console.log('Gemini 3, as it was, asks for a thought_signature:', refused.includes('thought_signature'));
console.log('Gemini 3, signed:', (await models.generateContent({ model, contents: forGemini3(contents) })).text);
await server.close();

/** What happened in a turn, in no API's words. A guard puts what the model asked for into `call.input`, and nothing else. */
interface Told {
  readonly prompt: string;
  readonly calls: readonly ToolOutcome[];
  readonly said: string;
}

const call = { input: { path: 'a.txt' } };
const log: Told[] = [
  {
    prompt: 'How long is a.txt?',
    calls: [{ id: 'functions.read:0', name: 'read', call, ms: 4, status: 'completed', value: 'one\ntwo' }],
    said: 'Two lines.',
  },
];

function asAnthropic(turns: readonly Told[]): AnthropicMessage[] {
  const messages = turns.flatMap(({ prompt, calls, said }): AnthropicMessage[] => [
    { role: 'user', content: prompt },
    {
      role: 'assistant',
      content: calls.map(({ id, name, call }) => ({ type: 'tool_use', id, name, ...(call as object) })),
    },
    ...messageWriter(anthropic).toolResults(calls),
    ...messageWriter(anthropic).reply(said),
  ]);
  return repair(messages, { dialect: anthropic }).messages;
}

function asOpenAI(turns: readonly Told[]): OpenAIChatMessage[] {
  const messages = turns.flatMap(({ prompt, calls, said }): OpenAIChatMessage[] => {
    const made = calls.map(({ id, name, call }) => {
      const args = JSON.stringify((call as { input: unknown }).input);
      return { id, type: 'function', function: { name, arguments: args } };
    });
    const asked = made.length === 0 ? [] : [{ role: 'assistant', content: null, tool_calls: made } as const];
    const { reply, toolResults } = messageWriter(openaiChat);
    return [{ role: 'user', content: prompt }, ...asked, ...toolResults(calls), ...reply(said)];
  });
  return repair(messages, { dialect: openaiChat }).messages;
}

console.log(
  'Claude:',
  asAnthropic(log)
    .map(({ role }) => role)
    .join(', '),
  anthropic.check(asAnthropic(log)).length,
);
console.log(
  'Chat Completions:',
  asOpenAI(log)
    .map(({ role }) => role)
    .join(', '),
  openaiChat.check(asOpenAI(log)).length,
);

// Output:
// Mistral: [{"role":"assistant","content":[{"type":"tool-call","toolCallId":"5abc8d7f9","toolName":"read","input":{}}]}]
// Pictures: [{"type":"text","text":"[image/png]"}]
// Gemini 3, as it was, asks for a thought_signature: true
// Gemini 3, signed: Two lines.
// Claude: user, assistant, user, assistant 0
// Chat Completions: user, assistant, tool, assistant 0
