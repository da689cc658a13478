/** The least that is an agent of pi: one reply, the calls in it, and their results; then it ends. */
import type { Part, Reply, ReplyEvent } from '../../../../src/adapters/pi/shapes.ts';

export interface FakeTool {
  readonly name: string;
  execute(...args: never[]): unknown;
}

type Listener = (event: { readonly type: string; readonly message?: object }) => void;

export const replyOf = (...content: readonly Part[]): Reply => ({ role: 'assistant', content, stopReason: 'stop' });
export const textPart = (text: string): Part => ({ type: 'text', text });
export const callPart = (id: string, name = 'work'): Part => ({ type: 'toolCall', id, name });

/** A client that gives these events. */
export async function* eventsOf(...events: readonly ReplyEvent[]): AsyncGenerator<ReplyEvent> {
  for (const event of events) yield await Promise.resolve(event);
}

/** A client that gives one reply whole. */
export const answering = (reply: Reply) => () => eventsOf({ type: 'done', message: reply });

export class FakePi {
  readonly state = {
    messages: [] as object[],
    tools: [] as FakeTool[],
    isStreaming: false,
    errorMessage: undefined as string | undefined,
  };
  streamFn: (...args: never[]) => unknown;
  beforeToolCall: ((question: never, signal?: AbortSignal) => unknown) | undefined;
  readonly steered: object[] = [];
  readonly listeners = new Set<Listener>();
  #run: AbortController | undefined;

  constructor(streamFn: (...args: never[]) => unknown, tools: readonly FakeTool[] = []) {
    this.streamFn = streamFn;
    this.state.tools = [...tools];
  }

  get signal(): AbortSignal | undefined {
    return this.#run?.signal;
  }

  abort(): void {
    this.#run?.abort();
  }

  steer(message: object): void {
    this.steered.push(message);
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  async prompt(input: unknown): Promise<void> {
    this.state.messages.push({ role: 'user', content: input });
    await this.continue();
  }

  async continue(): Promise<void> {
    this.#run = new AbortController();
    this.state.isStreaming = true;
    this.state.errorMessage = undefined;
    this.#say({ type: 'agent_start' });
    const [streamFn, before] = [this.streamFn, this.beforeToolCall] as unknown as readonly ((
      ...args: unknown[]
    ) => unknown)[];
    const stream = streamFn?.(
      { id: 'fake' },
      { messages: [...this.state.messages] },
      {},
    ) as AsyncIterable<ReplyEvent> & {
      result(): Promise<Reply>;
    };
    for await (const event of stream) this.#say({ type: 'message_update', message: event });
    const reply = await stream.result();
    this.state.messages.push(reply);
    if (reply.errorMessage !== undefined) this.state.errorMessage = reply.errorMessage;
    else for (const part of reply.content) if (part.type === 'toolCall') await this.#call(part, before);
    this.#say({ type: 'turn_end', message: reply });
    this.state.isStreaming = false;
    this.#run = undefined;
  }

  async #call(part: Part, before: ((...args: unknown[]) => unknown) | undefined): Promise<void> {
    await before?.({ toolCall: part }, this.signal);
    const tool = this.state.tools.find(({ name }) => name === part.name) as { execute(...args: unknown[]): unknown };
    const result = await Promise.resolve()
      .then(() => tool.execute(part.id, {}, this.signal, () => undefined))
      .catch((error: unknown) => ({ content: [textPart((error as Error).message)], isError: true }));
    this.state.messages.push({ role: 'toolResult', toolCallId: part.id, ...(result as object) });
  }

  #say(event: { readonly type: string; readonly message?: object }): void {
    for (const listener of this.listeners) listener(event);
  }
}
