/**
 * A loop behind a server of AG-UI, and the protocol's own client before it, which keeps the conversation: both sides alone, as the
 * protocol's documentation shows them, and both with the door.
 */
import type { HttpAgent, Message } from '@ag-ui/client';
import OpenAI from 'openai';
import {
  messageMap,
  runAgent,
  serveRun,
  type AgUiEvent,
  type AgUiMessage,
} from '../../../../src/adapters/ag-ui/index.ts';
import { foldOpenAIChat, readStream } from '../../../../src/adapters/llm/index.ts';
import { CancellationTokenSource, priorityMessage, type Turn } from '../../../../src/index.ts';
import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';
import { mapDialect, repair, messageWriter } from '../../../../src/transcript/index.ts';
import { underController, type ControlledLoop, type LoopTurn } from '../../../support/agents/under-controller.ts';
import type { Major } from '../../majors.ts';
import { startAgUiServer, type AgUiConnection, type RunRequest } from '../ag-ui-server.ts';
import { bareHarness, type BareTurn } from './bare.ts';
import type { AgentPair } from './pair.ts';

type Chunk = OpenAI.ChatCompletionChunk;
type ChatMessage = OpenAI.ChatCompletionMessageParam;
type Answer = OpenAI.ChatCompletionToolMessageParam & { readonly content: string };
type Emit = (event: AgUiEvent & Readonly<Record<string, unknown>>) => void;

const parameters = { type: 'object', properties: {} };
const specs = (names: readonly string[]) =>
  names.map((name) => ({ type: 'function' as const, function: { name, description: 'works', parameters } }));

/** Opens the stream of one reply. */
function opened(url: string, names: readonly string[], messages: readonly object[], signal: AbortSignal) {
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
  const body = { model: 'scripted', messages: messages as ChatMessage[], tools: specs(names), stream: true } as const;
  return client.chat.completions.create(body, { signal });
}

/** Says to the client what comes of one reply, as it comes. */
class ReplyEvents {
  readonly #emit: Emit;
  readonly #messageId = crypto.randomUUID();
  readonly #calls: string[] = [];
  #isOpen = false;

  constructor(emit: Emit) {
    this.#emit = emit;
  }

  add({ choices }: Chunk): void {
    const { content, tool_calls: calls = [] } = choices[0]?.delta ?? {};
    const messageId = this.#messageId;
    if (typeof content === 'string' && content !== '') {
      if (!this.#isOpen) this.#emit({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' });
      this.#isOpen = true;
      this.#emit({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: content });
    }
    for (const { index, id, function: own } of calls) {
      if (id !== undefined) {
        this.#calls[index] = id;
        const call = { toolCallId: id, toolCallName: own?.name ?? '', parentMessageId: messageId };
        this.#emit({ type: 'TOOL_CALL_START', ...call });
      }
      const toolCallId = this.#calls[index] ?? '';
      if (own?.arguments) this.#emit({ type: 'TOOL_CALL_ARGS', toolCallId, delta: own.arguments });
    }
  }

  end(): void {
    if (this.#isOpen) this.#emit({ type: 'TEXT_MESSAGE_END', messageId: this.#messageId });
    for (const toolCallId of this.#calls) this.#emit({ type: 'TOOL_CALL_END', toolCallId });
  }
}

function result(toolCallId: string, content: string): Parameters<Emit>[0] {
  return { type: 'TOOL_CALL_RESULT', messageId: crypto.randomUUID(), toolCallId, content, role: 'tool' };
}

/** The protocol's messages as a provider's. */
function chatOf({ messages }: RunRequest): object[] {
  return messages.map((message) => messageMap.toWire(message as AgUiMessage));
}

/** A server as the protocol's documentation has it: the model and the tools are given the signal of the connection. */
async function serveBare(
  { url, tools }: BareTurn,
  { input, send, response, closed }: AgUiConnection,
  hasRead: (toolCallId: string) => boolean,
): Promise<void> {
  const stop = new AbortController();
  void closed.then(() => {
    stop.abort();
  });
  const { signal } = stop;
  const { threadId, runId } = input;
  const messages = chatOf(input);
  send({ type: 'RUN_STARTED', threadId, runId });
  try {
    for (;;) {
      const events = new ReplyEvents(send);
      const fold = foldOpenAIChat();
      for await (const chunk of await opened(url, Object.keys(tools), messages, signal)) {
        events.add(chunk);
        fold.add(chunk);
      }
      events.end();
      const { message, calls } = fold.value;
      messages.push(message);
      if (calls.length === 0) break;
      // A call takes longer than its telling, elsewhere: the client has read of it.
      while (!signal.aborted && !calls.every(({ id }) => hasRead(id))) await new Promise(setImmediate);
      const answers = await Promise.all(
        calls.map(async ({ id, function: own }) => {
          let content: string;
          try {
            content = (await tools[own.name]?.(signal)) ?? '';
          } catch (error) {
            content = String(error);
          }
          send(result(id, content));
          return { role: 'tool', tool_call_id: id, content };
        }),
      );
      messages.push(...answers);
    }
    send({ type: 'RUN_FINISHED', threadId, runId });
  } catch (error) {
    send({ type: 'RUN_ERROR', message: String(error) });
  }
  response.end();
}

/** The request that a turn serves. */
const requests = new WeakMap<Turn, { readonly input: RunRequest; readonly emit: Emit }>();

/** The same loop under a turn. */
async function loop(turn: Turn, { url, tools, passive, idleMs, oneByOne }: LoopTurn): Promise<void> {
  const { input, emit } = requests.get(turn) as { readonly input: RunRequest; readonly emit: Emit };
  const messages = chatOf(input);
  // What the person typed meanwhile is a message of the conversation as well.
  const tell = (message: unknown): void => {
    const content = priorityMessage(String(message));
    messages.push({ role: 'user', content });
    const messageId = crypto.randomUUID();
    emit({ type: 'TEXT_MESSAGE_START', messageId, role: 'user' });
    emit({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: content });
    emit({ type: 'TEXT_MESSAGE_END', messageId });
  };
  for (;;) {
    const events = new ReplyEvents(emit);
    const before = [...messages];
    const reply = await turn.model(
      ({ token, partial, readInterjections }) => {
        const told = readInterjections().map(({ message }) => priorityMessage(String(message)));
        const sent = [...before, ...told.map((content) => ({ role: 'user', content }))];
        return readStream(token, ({ signal }) => opened(url, Object.keys(tools), sent, signal), {
          fold: foldOpenAIChat,
          onProgress: (value, chunk) => {
            events.add(chunk);
            partial(value);
          },
        });
      },
      { idleMs },
    );
    for (const { message } of reply.delivered) tell(message);
    events.end();
    if (reply.status === 'interjected') {
      messages.push(...messageWriter(openaiChat).reply(reply));
      continue;
    }
    const { message, calls } = reply.value;
    messages.push(message);
    const own = calls.map((call) => ({ id: call.id, name: call.function.name, input: {} }));
    const outcomes = await turn.tools(
      own,
      async ({ name }, { signal }) => {
        const tool = tools[name];
        if (tool === undefined) throw new TypeError(`there is no tool ${name}`);
        return await tool({ signal });
      },
      {
        onInterject: own.some(({ name }) => passive.includes(name)) ? 'yield' : 'finish',
        mode: oneByOne ? 'sequential' : 'parallel',
      },
    );
    const results = messageWriter<Answer>(openaiChat).toolResults(outcomes);
    for (const { tool_call_id: id, content } of results) if (!turn.token.isCancelled) emit(result(id, content));
    messages.push(...results);
    if (outcomes.length === 0 && !turn.hasInterjections) return;
  }
}

export async function agUiAgents(major: Major): Promise<AgentPair> {
  const sdk = await major.load<typeof import('@ag-ui/client')>('@ag-ui/client');
  const dialect = mapDialect(openaiChat, messageMap);
  const settle = (messages: readonly AgUiMessage[]) => repair(messages, { dialect }).messages;
  const name = `@ag-ui/client ${major.version('@ag-ui/client')}`;
  /** A client with a server of its own, which is gone when its run is over. */
  const clientOf = (url: string, messages: readonly unknown[]): HttpAgent => {
    const all = messages.map((message) => ({ id: crypto.randomUUID(), ...(message as object) }) as Message);
    return new sdk.HttpAgent({ url, initialMessages: all });
  };
  const withServer = async (
    answer: (connection: AgUiConnection) => unknown,
    use: (url: string) => Promise<unknown>,
  ): Promise<void> => {
    const server = await startAgUiServer(answer);
    try {
      await use(server.url);
    } finally {
      await server.close();
    }
  };
  const serve: ControlledLoop['serve'] = (agent, given, { ticket, token }, body) => {
    const person = new CancellationTokenSource();
    let messages: readonly unknown[] = given.messages;
    const run = async () => {
      let served: ReturnType<typeof serveRun> | undefined;
      const answer = async ({ input, send, response }: AgUiConnection): Promise<void> => {
        if (!('threadId' in input)) ticket.cancel('user');
        else {
          const options = { input, emit: send, dialect: openaiChat, ticket, token };
          served = serveRun(
            agent,
            (turn, { emit }) => {
              requests.set(turn, { input, emit });
              return body(turn);
            },
            options,
          );
          await served;
        }
        response.end();
      };
      await withServer(answer, async (url) => {
        const client = clientOf(url, messages);
        // The stop route of the server, which has a grace of its own.
        const cancel = ({ signal }: { readonly signal: AbortSignal }): Promise<unknown> =>
          fetch(url, { method: 'POST', body: '{}', signal });
        const ended = await runAgent(person.token, client, { settle, cancel, graceMs: 10_000 }).catch(
          (error: unknown) => error,
        );
        messages = client.messages;
        if (served === undefined && ended instanceof Error) ticket.cancel('user');
        await served;
      });
      return (await served) ?? (await agent.runTurn(() => undefined, { ticket }));
    };
    return { running: run(), cancel: () => person.cancel('user'), messages: () => messages };
  };
  return {
    name,
    // It is about the processor, which client and server share here.
    unfit: ['S41'],
    bare: bareHarness(name, async (given, signal) => {
      let messages: readonly unknown[] = given.messages;
      let client: HttpAgent | undefined;
      const hasRead = (id: string): boolean => JSON.stringify(client?.messages).includes(id);
      await withServer(
        (connection) => serveBare(given, connection, hasRead),
        async (url) => {
          const own = (client = clientOf(url, messages));
          const abort = async (): Promise<void> => {
            // A person has read what they stop: what has been sent by then is read first, however late the client comes to it.
            for (let turns = 0; turns < 20; turns += 1) await new Promise(setImmediate);
            own.abortRun();
          };
          const stopped = (): void => void abort();
          signal.addEventListener('abort', stopped);
          try {
            await own.runAgent();
          } catch (error) {
            // It resolves after an abort; the end of the connection may come first.
            if (!signal.aborted) throw error;
          } finally {
            signal.removeEventListener('abort', stopped);
          }
          messages = own.messages;
        },
      );
      return messages;
    }),
    guarded: underController({
      name: `${name}, guarded`,
      run: loop,
      serve,
      honours: ['oneByOne', 'after-current-tool', 'verbatim'],
    }),
  };
}
