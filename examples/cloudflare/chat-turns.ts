/**
 * Each answer of a Cloudflare `AIChatAgent` as a turn. By itself it forgets the stop of a message that still waits in line, and says of a tool
 * that runs on that it was interrupted. Behind `generateText` such a tool holds the chat, and what the others did is lost; an agent that is
 * evicted meanwhile answers the stopped message again, and pays twice. Here a turn that was stopped is over for Cloudflare too, and one that
 * was not goes on after an eviction, with the calls that may have run.
 *
 * ```ts
 * export class Chat extends AIChatAgent<Env> {
 *   readonly #turns = new ChatTurns(this);
 *   // The turn knows more of an open call than this hook does.
 *   override repairInterruptedToolPart = (part: UIMessage['parts'][number]) => part;
 *   override onChatMessage(_onFinish: unknown, options: OnChatMessageOptions) {
 *     return this.#turns.answer(options, (turn, messages) => streamText(underTurn(turn, { model, tools, messages })));
 *   }
 * }
 * ```
 *
 * It was played by hand, in workerd: `agents` 0.32.0 and `@cloudflare/ai-chat` 0.12.2 add 106 MB, and no gate installs them.
 */
import {
  convertToModelMessages,
  createUIMessageStream,
  createUIMessageStreamResponse,
  toUIMessageStream,
  type ModelMessage,
  type TextStreamPart,
  type ToolSet,
  type UIMessage,
} from 'ai';
import { CancellationToken, CancellationTokenSource, InterruptController, type ToolOutcome, type Turn } from 'desist';
import { readResult } from 'desist/ai-sdk';
import { repair } from 'desist/transcript';
import { aiSDKUI } from 'desist/transcript/ai-sdk';

/** What is used of Cloudflare's agent. */
interface ChatAgent {
  readonly messages: UIMessage[];
  persistMessages(messages: UIMessage[]): Promise<unknown>;
  onMessage(connection: unknown, message: unknown): unknown;
}

interface ChatMessageOptions {
  readonly requestId: string;
  readonly abortSignal?: AbortSignal | undefined;
}

/** What `streamText` returns. */
interface Answer {
  readonly stream: ReadableStream<TextStreamPart<ToolSet>>;
  readonly fullStream: AsyncIterable<unknown>;
  readonly text: PromiseLike<string>;
}

/** The id of the message that a frame of the page stops. */
function stoppedBy(frame: unknown): string | undefined {
  if (typeof frame !== 'string') return undefined;
  const { type, id } = JSON.parse(frame) as { readonly type?: unknown; readonly id?: unknown };
  return type === 'cf_agent_chat_request_cancel' ? String(id) : undefined;
}

export class ChatTurns {
  readonly #agent: ChatAgent;
  readonly #controller = new InterruptController({ name: 'chat' });
  /** A stop for each message, also for those that nobody has begun to answer. */
  readonly #stops = new Map<string, CancellationTokenSource>();
  /** What became of calls that the stored messages do not say. */
  readonly #rows: ToolOutcome[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(agent: ChatAgent) {
    this.#agent = agent;
    const receive = agent.onMessage.bind(agent);
    agent.onMessage = (connection, frame) => {
      const id = stoppedBy(frame);
      if (id !== undefined) this.#stopOf(id).cancel('user');
      return receive(connection, frame);
    };
  }

  answer(
    { requestId, abortSignal }: ChatMessageOptions,
    ask: (turn: Turn, messages: ModelMessage[]) => Answer,
  ): Promise<Response> {
    const token = CancellationToken.any(this.#stopOf(requestId).token, abortSignal);
    const stream = createUIMessageStream({
      execute: ({ writer }) => {
        const body = async (turn: Turn): Promise<void> => {
          const result = ask(turn, await convertToModelMessages(await this.#settled()));
          writer.merge(toUIMessageStream({ stream: result.stream }));
          await readResult(turn.token, result);
        };
        // The page may go on while the turn before still has its grace.
        const running = this.#last.then(() => this.#run(body, token));
        this.#last = running.catch(() => undefined).finally(() => this.#stops.delete(requestId));
        return running;
      },
    });
    return Promise.resolve(createUIMessageStreamResponse({ stream }));
  }

  #stopOf(id: string): CancellationTokenSource {
    const stop = this.#stops.get(id) ?? new CancellationTokenSource();
    this.#stops.set(id, stop);
    return stop;
  }

  async #run(body: (turn: Turn) => Promise<void>, token: CancellationToken): Promise<void> {
    const report = await this.#controller.runTurn(body, { token });
    this.#rows.push(...report.calls);
    if (report.status === 'failed') throw report.error;
  }

  /** The stored messages, each call with what became of it. */
  async #settled(): Promise<UIMessage[]> {
    const rows = this.#rows.splice(0);
    const { messages } = repair(this.#agent.messages, {
      dialect: aiSDKUI,
      outcomeOf: ({ id }) => rows.find((row) => row.id === id),
    });
    await this.#agent.persistMessages(messages);
    return messages;
  }
}
