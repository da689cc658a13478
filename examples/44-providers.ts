/**
 * One loop, five providers: each is stopped inside a tool, and takes the next request all the same. What differs is the dialect, and
 * the call of the model.
 */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI, type Content } from '@google/genai';
import { Ollama, type Message } from 'ollama';
import OpenAI from 'openai';
import { delay, InterruptController } from 'desist';
import { foldAnthropic, foldGemini, foldOllama, foldOpenAIChat, foldOpenAIResponses, readStream } from 'desist/llm';
import { startModelServer } from 'desist/testing';
import { Conversation, type ConversationContext } from 'desist/transcript';
import { anthropic } from 'desist/transcript/anthropic';
import { gemini } from 'desist/transcript/gemini';
import { ollama } from 'desist/transcript/ollama';
import { openaiChat } from 'desist/transcript/openai-chat';
import { openaiResponses } from 'desist/transcript/openai-responses';

const names = ['pay', 'deploy'];
// Stands for all of them. It refuses what the providers would refuse.
const answers = [{ toolCalls: names.map((name) => ({ name, input: {} })) }, 'Paid, but not deployed.'];
const server = await startModelServer({ script: Array.from({ length: 5 }, () => answers).flat() });
const apiKey = 'none';

async function play<M extends object>(
  chat: Conversation<M>,
  read: (context: ConversationContext<M>) => Promise<{ text: string }>,
) {
  const agent = new InterruptController({ name: 'main' });
  async function runTool(name: string, signal: AbortSignal): Promise<string> {
    if (name === 'pay') return 'paid';
    agent.cancel('user'); // somebody presses ESC while it deploys
    await delay(signal, 60_000);
    return 'deployed';
  }
  const ask = (prompt: string) => {
    chat.late(agent.takeLateOutcomes()); // what ended after its turn was answered without it
    return chat.runTurn(agent, prompt, async (turn) => {
      for (;;) {
        const reply = await turn.model(read);
        await turn.tools(reply.calls, ({ name }, { signal }) => runTool(name, signal));
        if (reply.isLast && reply.status === 'completed') return reply.value.text;
      }
    });
  };
  const { status, calls } = await ask('Pay 10, then deploy.');
  const said = (await ask('How far did you get?')).unwrap();
  console.log(status, calls.map((call) => `${call.name}: ${call.status}`).join(', '), '–', said);
}

const claude = new Anthropic({ baseURL: server.url, apiKey });
await play(new Conversation<Anthropic.MessageParam>(anthropic), ({ messages, signal, partial }) => {
  const tools = names.map((name) => ({ name, input_schema: { type: 'object' as const } }));
  const body = { model: 'claude', max_tokens: 1024, stream: true as const, messages, tools };
  return readStream(signal, (own) => claude.messages.create(body, own), {
    fold: foldAnthropic,
    onProgress: partial,
    requireComplete: true,
  });
});

const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey });
await play(new Conversation<OpenAI.ChatCompletionMessageParam>(openaiChat), ({ messages, signal, partial }) => {
  const tools = names.map((name) => ({ type: 'function' as const, function: { name } }));
  const body = { model: 'gpt', stream: true as const, messages, tools };
  return readStream(signal, (own) => openai.chat.completions.create(body, own), {
    fold: foldOpenAIChat,
    onProgress: partial,
    requireComplete: true,
  });
});

await play(new Conversation<OpenAI.Responses.ResponseInputItem>(openaiResponses), ({ messages, signal, partial }) => {
  const tools = names.map((name) => ({
    type: 'function' as const,
    name,
    parameters: { type: 'object' },
    strict: false,
  }));
  const include = ['reasoning.encrypted_content' as const];
  const body = { model: 'gpt', stream: true as const, store: false, include, input: messages, tools };
  return readStream(signal, (own) => openai.responses.create(body, own), {
    fold: foldOpenAIResponses,
    onProgress: partial,
    requireComplete: true,
  });
});

const { models } = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: server.url } });
await play(new Conversation<Content>(gemini), ({ messages, signal, partial }) => {
  const tools = [{ functionDeclarations: names.map((name) => ({ name })) }];
  const read = (abortSignal: AbortSignal) =>
    models.generateContentStream({ model: 'gemini', contents: messages, config: { tools, abortSignal } });
  return readStream(signal, (own) => read(own.signal), {
    fold: foldGemini,
    onProgress: partial,
    requireComplete: true,
  });
});

await play(new Conversation<Message>(ollama), ({ messages, signal, partial }) => {
  const tools = names.map((name) => ({ type: 'function', function: { name } }));
  const body = { model: 'm', stream: true as const, messages, tools };
  return readStream(signal, ({ fetch }) => new Ollama({ host: server.url, fetch }).chat(body), {
    fold: foldOllama,
    onProgress: partial,
    requireComplete: true,
  });
});
await server.close();

// Output:
// cancelled pay: completed, deploy: stopped – Paid, but not deployed.
// cancelled pay: completed, deploy: stopped – Paid, but not deployed.
// cancelled pay: completed, deploy: stopped – Paid, but not deployed.
// cancelled pay: completed, deploy: stopped – Paid, but not deployed.
// cancelled pay: completed, deploy: stopped – Paid, but not deployed.
