/** The least that is an executable: in memory, it says what a test makes it say, and counts what it is told. */
import { Queue } from '../../../../src/adapters/internal/stream/queue.ts';
import type { UserMessage } from '../../../../src/adapters/claude-agent/shapes.ts';

export interface FakeOptions {
  readonly abortController: AbortController;
  readonly resume?: string;
  readonly canUseTool?: (
    name: string,
    input: unknown,
    request: object,
  ) => Promise<{ behavior: string; message?: string }>;
  readonly hooks: {
    readonly PreToolUse: readonly {
      readonly hooks: readonly ((
        input: object,
        id: string,
      ) => Promise<{
        hookSpecificOutput?: { permissionDecisionReason?: string };
      }>)[];
    }[];
  };
}

/** One process. */
export class FakeExecutable implements AsyncIterable<object> {
  readonly options: FakeOptions;
  readonly prompts: UserMessage[] = [];
  readonly stopped: string[] = [];
  interrupts = 0;
  /** What an interrupt does, and answers. */
  onInterrupt: (options: { readonly cancelQueued?: boolean }) => unknown = () => {
    this.result({ subtype: 'error_during_execution', is_error: true, errors: ['aborted'] });
    return undefined;
  };
  onPrompt: (prompt: UserMessage) => void = () => undefined;
  readonly #said = new Queue<object>();
  #wake: () => void = () => undefined;
  #end: { readonly error?: Error } | undefined;

  constructor(prompt: AsyncIterable<UserMessage>, options: FakeOptions) {
    this.options = options;
    // A process takes its time to end.
    options.abortController.signal.addEventListener('abort', () => setImmediate(() => this.end()));
    void this.#readPrompts(prompt);
  }

  interrupt(options: { readonly cancelQueued?: boolean } = {}): Promise<unknown> {
    this.interrupts += 1;
    return Promise.resolve(this.onInterrupt(options));
  }

  stopTask(id: string): Promise<void> {
    this.stopped.push(id);
    return Promise.resolve();
  }

  say(...frames: readonly object[]): void {
    for (const frame of frames) this.#said.push(frame);
    this.#wake();
  }

  step(event: object, more: object = {}): void {
    this.say({ type: 'stream_event', parent_tool_use_id: null, event, ...more });
  }

  words(text: string): void {
    this.step({ type: 'content_block_delta', delta: { type: 'text_delta', text } });
  }

  /** The model asks for calls, and its reply ends. */
  calls(...ids: readonly string[]): void {
    for (const id of ids) {
      this.step({ type: 'content_block_start', content_block: { type: 'tool_use' } });
      this.say({ type: 'assistant', message: { content: [{ type: 'tool_use', id, name: id, input: {} }] } });
    }
    this.step({ type: 'message_stop' });
  }

  /** Says that a call begins; gives what the model reads instead. */
  async begin(id: string, more: object = {}): Promise<string | undefined> {
    const hook = this.options.hooks.PreToolUse.at(-1)?.hooks[0];
    const said = await hook?.({ tool_name: id, tool_input: {}, ...more }, id);
    return said?.hookSpecificOutput?.permissionDecisionReason;
  }

  returns(id: string, content: unknown = 'done', isError = false): void {
    const block = { type: 'tool_result', tool_use_id: id, content, is_error: isError };
    this.say({ type: 'user', message: { content: [block] } });
  }

  result(more: object = {}): void {
    this.say({ type: 'result', subtype: 'success', is_error: false, result: 'done', ...more });
  }

  end(error?: Error): void {
    this.#end ??= error === undefined ? {} : { error };
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<object, undefined> {
    for (;;) {
      const frame = this.#said.shift();
      if (frame !== undefined) yield frame;
      else if (this.#end !== undefined) break;
      else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
    if (this.#end.error !== undefined) throw this.#end.error;
  }

  async #readPrompts(prompts: AsyncIterable<UserMessage>): Promise<void> {
    for await (const prompt of prompts) {
      this.prompts.push(prompt);
      this.onPrompt(prompt);
    }
  }
}

/** `query` of the SDK, and the processes that it has started. */
export function fakeQuery(onPrompt: (fake: FakeExecutable, prompt: UserMessage) => void = (fake) => fake.result()) {
  const processes: FakeExecutable[] = [];
  const query = ({ prompt, options }: { prompt: AsyncIterable<never>; options?: object }): FakeExecutable => {
    const fake = new FakeExecutable(prompt, options as FakeOptions);
    fake.onPrompt = (given) => {
      onPrompt(fake, given);
    };
    processes.push(fake);
    return fake;
  };
  return { query, processes };
}

/** The texts of a prompt. */
export function textsOf({ message }: UserMessage): readonly unknown[] {
  return message.content.map((part) => (part as { readonly text?: unknown }).text);
}
