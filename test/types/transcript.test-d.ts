import type Anthropic from '@anthropic-ai/sdk';
import type { Content } from '@google/genai';
import type { BaseMessage, BaseMessageLike } from '@langchain/core/messages';
import type { AgentInputItem } from '@openai/agents';
import type { ModelMessage, UIMessage } from 'ai';
import type { Message } from 'ollama';
import type OpenAI from 'openai';
import { expectTypeOf } from 'vitest';

import type { InterruptController } from '../../src/core/interrupt/controller.ts';
import type { ToolOutcome } from '../../src/core/interrupt/public-types/outcomes.ts';
import {
  Conversation,
  checkTranscript,
  dialectNamed,
  type DialectName,
  heldByServer,
  repair,
  messageWriter,
  type MessageWriter,
  wordingTable,
} from '../../src/transcript/index.ts';
import { aiSDK, aiSDKUI } from '../../src/transcript/dialects/ai-sdk/index.ts';
import type { TranscriptViolation } from '../../src/transcript/dialect.ts';
import type { AISDKMessage, AISDKUIMessage } from '../../src/transcript/dialects/ai-sdk/message.ts';
import { anthropic, type AnthropicMessage } from '../../src/transcript/dialects/anthropic/index.ts';
import { gemini } from '../../src/transcript/dialects/gemini/index.ts';
import { langchain, type LangChainAddition } from '../../src/transcript/dialects/langchain/index.ts';
import { ollama } from '../../src/transcript/dialects/ollama/index.ts';
import { openaiAgents } from '../../src/transcript/dialects/openai-agents/index.ts';
import { openaiChat, type OpenAIChatMessage } from '../../src/transcript/dialects/openai-chat/index.ts';
import { openaiResponses } from '../../src/transcript/dialects/openai-responses/index.ts';

declare const params: readonly Anthropic.MessageParam[];
declare const openai: readonly OpenAI.ChatCompletionMessageParam[];
declare const rows: ReadonlyMap<string, ToolOutcome>;

// The SDKs' own types go in and come out.
const settledAnthropic = repair(params, { dialect: anthropic });
expectTypeOf(settledAnthropic.messages).toEqualTypeOf<Anthropic.MessageParam[]>();
expectTypeOf(settledAnthropic.changes).toEqualTypeOf<readonly TranscriptViolation[]>();
const settledOpenAI = repair(openai, { dialect: openaiChat });
expectTypeOf(settledOpenAI.messages).toEqualTypeOf<OpenAI.ChatCompletionMessageParam[]>();

// And they can be sent as they are.
declare const clients: { anthropic: Anthropic; openai: OpenAI };
void clients.anthropic.messages.create({ model: 'm', max_tokens: 1, messages: settledAnthropic.messages });

declare const betaParams: Anthropic.Beta.BetaMessageParam[];
const settledBeta = repair(betaParams, { dialect: anthropic });
void clients.anthropic.beta.messages.create({ model: 'm', max_tokens: 1, messages: settledBeta.messages });
void clients.openai.chat.completions.create({ model: 'm', messages: settledOpenAI.messages });

// Items and contents likewise, and what is to be submitted is typed as they are.
declare const items: readonly OpenAI.Responses.ResponseInputItem[];
declare const response: OpenAI.Responses.Response;
const settledItems = repair(items, { dialect: openaiResponses, held: heldByServer({ responses: [response] }) });
expectTypeOf(settledItems.messages).toEqualTypeOf<OpenAI.Responses.ResponseInputItem[]>();
void clients.openai.responses.create({ model: 'm', ...settledItems.submit });
repair(response.output, { dialect: openaiResponses });
declare const contents: readonly Content[];
const settledContents = repair(contents, { dialect: gemini });
expectTypeOf(settledContents.messages).toEqualTypeOf<Content[]>();
// @ts-expect-error -- messages that have content are of another provider
repair(params, { dialect: gemini });
// @ts-expect-error -- likewise
checkTranscript(openai, { dialect: gemini });

// The rows of a ledger, and other words.
repair(params, {
  dialect: anthropic,
  outcomeOf: ({ id }) => rows.get(id),
  wording: { user: { stopped: 'Halted.' } },
  render: ({ name }) => name,
});
repair(openai, {
  dialect: openaiChat,
  wording: ({ cause, text }) => (cause === 'user' ? text : undefined),
});

// Each kind of message of the AI SDK has rules of its own.
declare const model: readonly ModelMessage[];
declare const ui: readonly UIMessage[];
expectTypeOf(repair(model, { dialect: aiSDK }).messages).toEqualTypeOf<ModelMessage[]>();
expectTypeOf(repair(ui, { dialect: aiSDKUI }).messages).toEqualTypeOf<UIMessage[]>();
expectTypeOf<ModelMessage>().toExtend<AISDKMessage>();
expectTypeOf<UIMessage>().toExtend<AISDKUIMessage>();
checkTranscript(ui, { dialect: aiSDKUI });
// @ts-expect-error a page's messages are not sent to a model
repair(ui, { dialect: aiSDK });
// @ts-expect-error nor is a conversation held in them
new Conversation(aiSDKUI);

// What is added to a transcript of LangChain's has no class; LangChain takes it wherever it takes messages.
declare const base: readonly BaseMessage[];
const settledLangChain = repair(base, { dialect: langchain });
expectTypeOf(settledLangChain.messages).toEqualTypeOf<(BaseMessage | LangChainAddition)[]>();
expectTypeOf<LangChainAddition>().toExtend<BaseMessageLike>();
declare const likes: readonly BaseMessageLike[];
checkTranscript(likes, { dialect: langchain });
repair(likes, { dialect: langchain });

// The whole model response is an assistant message too.
expectTypeOf<Anthropic.Message>().toExtend<AnthropicMessage>();
expectTypeOf<OpenAI.ChatCompletionMessage>().toExtend<OpenAIChatMessage>();

// Checking takes the same.
checkTranscript(params, { dialect: anthropic });
checkTranscript(openai, { dialect: openaiChat });

// Messages written in place may hold whatever their provider knows.
checkTranscript([{ role: 'assistant', tool_calls: [{ id: 'a' }] }], { dialect: openaiChat });
repair([{ role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] }], { dialect: anthropic });

// A dialect known only at run time takes what all of them can be.
declare const name: DialectName;
dialectNamed(name).check([]);
expectTypeOf(dialectNamed('gemini')).toEqualTypeOf(gemini);

// What the loop pushes fits into lists of the SDK's own types, whatever else is pushed with it.
declare const outcomes: readonly ToolOutcome[];
const [toAnthropic, toOpenAI, toItems, toGemini, toModel, toLangChain] = [
  [...params],
  [...openai],
  [...items],
  [...contents],
  [...model],
  [...likes],
];
const both = <M>({ reply, toolResults }: MessageWriter<M>): M[] => [...reply({}), ...toolResults(outcomes)];
toAnthropic.push(...params, ...both(messageWriter<Anthropic.MessageParam>(anthropic)));
toOpenAI.push(...openai, ...both(messageWriter<OpenAI.ChatCompletionMessageParam>(openaiChat)));
toItems.push(...items, ...both(messageWriter<OpenAI.Responses.ResponseInputItem>(openaiResponses)));
toGemini.push(...contents, ...both(messageWriter<Content>(gemini)));
toModel.push(...model, ...both(messageWriter<ModelMessage>(aiSDK)));
toLangChain.push(...likes, ...both(messageWriter<BaseMessageLike>(langchain)));
declare const agentItems: readonly AgentInputItem[];
declare const ollamaMessages: readonly Message[];
expectTypeOf(repair(agentItems, { dialect: openaiAgents }).messages).toEqualTypeOf<AgentInputItem[]>();
expectTypeOf(repair(ollamaMessages, { dialect: ollama }).messages).toEqualTypeOf<Message[]>();
const [toAgents, toOllama] = [[...agentItems], [...ollamaMessages]];
toAgents.push(...agentItems, ...both(messageWriter<AgentInputItem>(openaiAgents)));
toOllama.push(...ollamaMessages, ...both(messageWriter<Message>(ollama)));

// @ts-expect-error a tool message is no message of Anthropic's
repair(openai, { dialect: anthropic });
// @ts-expect-error there is no such dialect
repair(params, { dialect: 'esperanto' });
// @ts-expect-error there is no such outcome
repair(params, { dialect: anthropic, wording: { user: { halted: 'x' } } });
// @ts-expect-error the dialect is not a matter of course
repair(params, {});
// @ts-expect-error the table is for reading
wordingTable.user.stopped = 'x';

// A conversation has the messages of the SDK, and gives them to its client as they are.
const chat = new Conversation<Anthropic.MessageParam>(anthropic, { messages: params });
expectTypeOf(chat.messages).toEqualTypeOf<Anthropic.MessageParam[]>();
declare const agent: InterruptController;
void chat.runTurn(agent, 'Go.', async (turn) => {
  const reply = await turn.model(({ messages }) => {
    expectTypeOf(messages).toEqualTypeOf<Anthropic.MessageParam[]>();
    return { text: 'x' };
  });
  if (reply.status === 'completed') expectTypeOf(reply.value.text).toEqualTypeOf<string>();
  // @ts-expect-error -- an aside is not given the conversation
  await turn.model(({ messages }) => messages, { aside: true });
  const aside = await turn.model(() => 1, { aside: true });
  // @ts-expect-error -- nor has it calls
  void aside.calls;
  await turn.tools(reply.calls, ({ name }) => name);
});
expectTypeOf(new Conversation<OpenAI.ChatCompletionMessageParam>(openaiChat).messages).toEqualTypeOf<
  OpenAI.ChatCompletionMessageParam[]
>();
expectTypeOf(new Conversation<OpenAI.Responses.ResponseInputItem>(openaiResponses).messages).toEqualTypeOf<
  OpenAI.Responses.ResponseInputItem[]
>();
expectTypeOf(new Conversation<Content>(gemini).messages).toEqualTypeOf<Content[]>();
expectTypeOf(new Conversation<Message>(ollama).messages).toEqualTypeOf<Message[]>();
expectTypeOf(new Conversation<ModelMessage>(aiSDK).messages).toEqualTypeOf<ModelMessage[]>();
expectTypeOf(repair(params, { dialect: anthropic }).messages).toEqualTypeOf<Anthropic.MessageParam[]>();
// @ts-expect-error -- these are the messages of another provider
new Conversation<OpenAI.ChatCompletionMessageParam>(anthropic);
