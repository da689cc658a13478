/**
 * Conversations of every dialect, of any length.
 *
 * @module
 */
import { InterruptController } from 'desist';
import { Conversation, repair, type TranscriptDialect } from 'desist/transcript';
import { aiSDK } from 'desist/transcript/ai-sdk';
import { anthropic } from 'desist/transcript/anthropic';
import { gemini } from 'desist/transcript/gemini';
import { langchain } from 'desist/transcript/langchain';
import { ollama } from 'desist/transcript/ollama';
import { openaiAgents } from 'desist/transcript/openai-agents';
import { openaiChat } from 'desist/transcript/openai-chat';
import { openaiResponses } from 'desist/transcript/openai-responses';
import { keep, type Contender } from './harness.ts';

/** The name of one of them. */
export type DialectName = keyof typeof dialects;

const dialects = {
  anthropic,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  gemini,
  'openai-agents': openaiAgents,
  ollama,
  'ai-sdk': aiSDK,
  langchain,
};

/** The names of all dialects. */
export const dialectNames = Object.keys(dialects) as readonly DialectName[];

/** One round of a conversation, four messages of it, with every tenth call left without its result. */
const rounds: Readonly<Record<DialectName, (n: number) => object[]>> = {
  anthropic: (n) => [
    { role: 'user', content: 'Go on.' },
    { role: 'assistant', content: [{ type: 'tool_use', id: `c${n}`, name: 'read', input: { n } }] },
    {
      role: 'user',
      content: n % 10 === 0 ? 'Well?' : [{ type: 'tool_result', tool_use_id: `c${n}`, content: 'ok' }],
    },
    { role: 'assistant', content: `It is ${n}.` },
  ],
  'openai-chat': (n) => [
    { role: 'user', content: 'Go on.' },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: `c${n}`, type: 'function', function: { name: 'read', arguments: `{"n":${n}}` } }],
    },
    n % 10 === 0 ? { role: 'user', content: 'Well?' } : { role: 'tool', tool_call_id: `c${n}`, content: 'ok' },
    { role: 'assistant', content: `It is ${n}.` },
  ],
  'openai-responses': (n) => [
    { role: 'user', content: 'Go on.' },
    { type: 'function_call', call_id: `c${n}`, name: 'read', arguments: `{"n":${n}}` },
    n % 10 === 0
      ? { role: 'user', content: 'Well?' }
      : { type: 'function_call_output', call_id: `c${n}`, output: 'ok' },
    { role: 'assistant', content: `It is ${n}.` },
  ],
  gemini: (n) => [
    { role: 'user', parts: [{ text: 'Go on.' }] },
    { role: 'model', parts: [{ functionCall: { name: 'read', args: { n } } }] },
    {
      role: 'user',
      parts: [n % 10 === 0 ? { text: 'Well?' } : { functionResponse: { name: 'read', response: { output: 'ok' } } }],
    },
    { role: 'model', parts: [{ text: `It is ${n}.` }] },
  ],
  'openai-agents': (n) => [
    { role: 'user', content: 'Go on.' },
    { type: 'function_call', callId: `c${n}`, name: 'read', arguments: `{"n":${n}}` },
    n % 10 === 0
      ? { role: 'user', content: 'Well?' }
      : { type: 'function_call_result', callId: `c${n}`, name: 'read', status: 'completed', output: 'ok' },
    { role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: `It is ${n}.` }] },
  ],
  ollama: (n) => [
    { role: 'user', content: 'Go on.' },
    { role: 'assistant', content: '', tool_calls: [{ function: { name: 'read', arguments: { n } } }] },
    n % 10 === 0 ? { role: 'user', content: 'Well?' } : { role: 'tool', tool_name: 'read', content: 'ok' },
    { role: 'assistant', content: `It is ${n}.` },
  ],
  'ai-sdk': (n) => [
    { role: 'user', content: 'Go on.' },
    { role: 'assistant', content: [{ type: 'tool-call', toolCallId: `c${n}`, toolName: 'read', input: { n } }] },
    n % 10 === 0
      ? { role: 'user', content: 'Well?' }
      : {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: `c${n}`, toolName: 'read', output: { type: 'text', value: 'ok' } },
          ],
        },
    { role: 'assistant', content: `It is ${n}.` },
  ],
  langchain: (n) => [
    { role: 'user', content: 'Go on.' },
    { role: 'assistant', content: '', tool_calls: [{ type: 'tool_call', id: `c${n}`, name: 'read', args: { n } }] },
    n % 10 === 0 ? { role: 'user', content: 'Well?' } : { role: 'tool', tool_call_id: `c${n}`, content: 'ok' },
    { role: 'assistant', content: `It is ${n}.` },
  ],
};

/** A conversation of `size` messages, or one in which only the user speaks. */
export function conversation(dialect: DialectName, size: number, speakers: 'both' | 'user' = 'both'): object[] {
  const round = rounds[dialect];
  return speakers === 'both'
    ? Array.from({ length: size / 4 }, (_, n) => round(n)).flat()
    : Array.from({ length: size }, (_, n) => round(n)[0]!);
}

/** Settles a conversation. */
export function settling(name: DialectName, messages: readonly object[]): Contender {
  const dialect = dialects[name] as unknown as TranscriptDialect<object>;
  return {
    run: (count) => {
      for (let i = 0; i < count; i++) keep(repair(messages, { dialect }).messages);
    },
  };
}

/** A conversation of `size` messages that was held in turns: in each a call, its result and a last word. */
export async function held(name: DialectName, size: number): Promise<Conversation<object>> {
  const dialect = dialects[name] as unknown as TranscriptDialect<object>;
  const chat = new Conversation<object>(dialect);
  const agent = new InterruptController();
  const isItems = name === 'openai-responses' || name === 'openai-agents';
  const said = (message: object): object => (isItems ? { output: [message] } : message);
  for (let n = 1; n <= size / 4; n++) {
    // Not one of those without a result.
    const [, asks, , says] = rounds[name](n * 10 + 1) as [object, object, object, object];
    const replies = [said(asks), said(says)];
    await chat.runTurn(agent, 'Go on.', async (turn) => {
      for (;;) {
        const { calls, isLast } = await turn.model(({ messages }) => messages.length > 0 && replies.shift());
        await turn.tools(calls, () => 'ok');
        if (isLast) return;
      }
    });
  }
  return chat;
}

/** Reads what can be sent. */
export function reading(chat: Conversation<object>): Contender {
  return {
    run: (count) => {
      for (let i = 0; i < count; i++) keep(chat.messages);
    },
  };
}
