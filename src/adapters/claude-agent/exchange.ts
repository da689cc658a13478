/**
 * One prompt and all that the executable does for it, under a turn: each call of the model is one of the turn, and so is each
 * of its tools; a stop is told once, and waited for until the executable is at rest.
 *
 * @module
 */
import {
  CancellationTokenSource as Sources,
  type CancelReason,
  type InterruptController,
  isObject,
  messageText,
  type ModelContext,
  runUntilCancelled,
  type Turn,
} from '../../core/inside.ts';
import type { ToldOutcome } from '../../guard/told-words.ts';
import type { Prompts, SentPrompt } from './prompts.ts';
import { asError, type Frame, type InterruptReceipt, type OwnQuery, type StreamEvent, textsIn } from './shapes.ts';
import type { TurnCalls } from './turn-calls.ts';

/** What a prompt needs of its session. */
export interface ExchangeParts {
  readonly controller: Pick<InterruptController, 'onEvent'>;
  readonly turn: Turn;
  readonly calls: TurnCalls;
  readonly query: OwnQuery;
  readonly prompts: Prompts;
  /** Whether a stop also takes back what else waits in the executable. */
  readonly cancelQueued: boolean;
  readonly graceMs: number | undefined;
  readonly idleMs: number | undefined;
  /** A stop of the turn has come. */
  readonly onStop: () => void;
  /** Ends the process, which is deaf. */
  readonly kill: () => void;
}

/** What became of it. */
export interface ExchangeEnd {
  /** What the executable says of its end; nothing where a stop or a message came first. */
  readonly result: Frame | undefined;
  /** What the executable, or a limit of the model's call, failed with. */
  readonly failure: { readonly error: unknown } | undefined;
  /** What it was sent and has not read. */
  readonly unread: readonly object[];
  /** Calls of which the executable's own record does not say what is known here. */
  readonly untold: readonly ToldOutcome[];
}

/** A call of the model while it runs. */
interface ModelCall {
  text: string;
  outputTokens: number;
  hasCalls: boolean;
  hasEnded: boolean;
  context: ModelContext | undefined;
  readonly end: () => void;
}

/** One prompt. */
export class Exchange {
  readonly #parts: ExchangeParts;
  /** Ends with the turn, with a message that cuts, and with a failure. */
  readonly #stop: Sources;
  /** What has no result. */
  #sent: SentPrompt[] = [];
  /** The executable has begun by itself. */
  #isUnasked = false;
  #model: ModelCall | undefined;
  readonly #models: Promise<void>[] = [];
  #isCut = false;
  #failure: { readonly error: unknown } | undefined;
  #result: Frame | undefined;
  #hasEnded = false;
  #end: () => void = () => undefined;
  readonly #whenEnded = new Promise<void>((resolve) => {
    this.#end = resolve;
  });

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.#stop = new Sources({ parent: parts.turn.token });
  }

  /**
   * Runs it.
   *
   * @param content The prompt; `undefined` where the executable has begun by itself.
   */
  async run(content: readonly object[] | undefined): Promise<ExchangeEnd> {
    const { turn, calls, graceMs, kill } = this.#parts;
    this.#isUnasked = content === undefined;
    const work = async (): Promise<void> => {
      const stop = this.#stop.token.onCancelled(() => void this.#interrupt());
      const said = this.#parts.controller.onEvent(({ type }) => {
        // Behind the listeners: a message for now cuts a call that is open by then.
        if (type === 'interjection-queued')
          queueMicrotask(() => {
            this.#tell();
          });
      });
      if (!this.#hasEnded) this.#callModel(content);
      await this.#whenEnded;
      said.unregister();
      stop.unregister();
      this.#model?.end();
      await Promise.all(this.#models);
      calls.end(asError(this.#failure?.error ?? new Error('The executable has ended its work')));
    };
    // One that is deaf is left behind, and ends with its process; the calls of a stopped turn are named before that.
    const { status } = await runUntilCancelled(this.#stop.token, work, { name: 'claude', graceMs });
    this.#stop.release();
    if (status === 'abandoned' && !turn.token.isCancelled) kill();
    const untold = await calls.outcomes();
    if (status === 'abandoned') kill();
    const hasEnded = !turn.token.isCancelled && !this.#isCut;
    const result = hasEnded ? this.#result : undefined;
    const failure = hasEnded ? this.#failure : undefined;
    const unread = result !== undefined && failure === undefined ? [] : this.#unread;
    return { result, failure, untold, unread: unread.flatMap(({ message }) => message.message.content) };
  }

  /** Reads what the executable says. */
  take(frame: Frame): void {
    if (this.#hasEnded) return;
    this.#parts.calls.follow(frame);
    const answered = this.#parts.prompts.follow(frame, this.#sent);
    if (frame.type === 'result' && this.#isOwn(answered)) {
      this.#result = frame;
      const unread = this.#unread;
      // What came too late to be read beside a result is the executable’s next prompt; after a stop there is none.
      if (answered.length === 0 || this.#stop.isCancelled || unread.length === 0) this.#finish();
      else {
        this.#sent = unread;
        this.#model?.end();
      }
    } else if (frame.type === 'stream_event' && typeof frame.parent_tool_use_id !== 'string' && isObject(frame.event)) {
      this.#step(frame.event);
    } else if (frame.type === 'user' && this.#model === undefined && this.#parts.calls.areAnswered) {
      this.#callModel();
    } else this.#model?.context?.progress();
  }

  /** The process has ended. */
  fail(error: unknown): void {
    if (!this.#stop.isCancelled) this.#failure ??= { error };
    this.#finish();
  }

  #finish(): void {
    this.#hasEnded = true;
    this.#end();
  }

  get #unread(): SentPrompt[] {
    return this.#sent.filter(({ isRead }) => !isRead);
  }

  /** Whether a result is that of this prompt, and not of something that the executable did before it. */
  #isOwn(answered: readonly string[]): boolean {
    return (
      this.#sent.length === 0 ||
      answered.length === 0 ||
      this.#sent.some(({ message }) => answered.includes(message.uuid))
    );
  }

  /** The executable puts what a person says while calls run beside their results. */
  #tell(): void {
    const { turn, prompts } = this.#parts;
    if (!prompts.areNamed || this.#hasEnded || this.#stop.isCancelled || this.#model !== undefined) return;
    if (turn.hasInterjections) this.#callModel([], true);
  }

  #step(event: StreamEvent): void {
    if (event.type === 'message_start' && this.#model?.hasEnded !== false) {
      this.#model?.end();
      this.#callModel();
    }
    const model = this.#model;
    if (model === undefined) return;
    const { text } = event.delta?.type === 'text_delta' ? event.delta : {};
    if (typeof text === 'string') model.text += text;
    if (event.content_block?.type === 'tool_use') model.hasCalls = true;
    const tokens = event.usage?.output_tokens;
    if (typeof tokens === 'number' && tokens >= 0) model.outputTokens = tokens;
    if (event.type === 'message_stop') model.hasEnded = true;
    tell(model);
    // The next one begins when the results are there.
    if (!model.hasEnded || !model.hasCalls) return;
    model.end();
    this.#tell();
  }

  /**
   * A call of the model, as a call of the turn.
   *
   * @param content What the executable is sent for it, with what a person has said.
   * @param isBeside A message, while calls run: until they have ended the model is not silent.
   */
  #callModel(content?: readonly object[], isBeside = false): void {
    if (this.#stop.isCancelled && this.#models.length > 0) return;
    const { turn, graceMs, prompts } = this.#parts;
    const idleMs = isBeside ? undefined : this.#parts.idleMs;
    let end: ModelCall['end'] = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = () => {
        if (this.#model === model) this.#model = undefined;
        resolve();
      };
    });
    const model: ModelCall = { text: '', outputTokens: 0, hasCalls: false, hasEnded: false, context: undefined, end };
    this.#model = model;
    const call = async (context: ModelContext): Promise<void> => {
      model.context = context;
      let sent: SentPrompt | undefined;
      if (content !== undefined) {
        const said = context.readInterjections().map(({ message }) => ({ type: 'text', text: messageText(message) }));
        const all = [...content, ...said];
        const message = { role: 'user' as const, content: all.length > 0 ? all : [{ type: 'text', text: 'Go on.' }] };
        const uuid = crypto.randomUUID();
        sent = prompts.send({ type: 'user' as const, uuid, message, parent_tool_use_id: null });
        this.#sent.push(sent);
      }
      tell(model);
      const cut = context.token.onCancelled((reason) => {
        this.#cancel(reason);
      });
      await ended.finally(() => {
        cut.unregister();
      });
      // The messages in it come back.
      if (sent?.isRead === false && this.#failure !== undefined) throw this.#failure.error;
    };
    this.#models.push(
      turn.model(call, { idleMs, graceMs }).then(
        ({ status }) => {
          if (status === 'interjected') this.#isCut = true;
        },
        (error: unknown) => {
          if (!turn.token.isCancelled) this.#failure ??= { error };
          this.#cancel();
        },
      ),
    );
  }

  #cancel(reason?: CancelReason): void {
    this.#stop.cancel(reason);
  }

  /** Tells the executable, once; what it has not begun with is taken back. */
  async #interrupt(): Promise<void> {
    const { turn, query, cancelQueued, onStop } = this.#parts;
    if (turn.token.isCancelled) onStop();
    // What the SDK has taken is the executable’s.
    const taken = new Map(this.#sent.filter((one) => !one.withdraw()).map((one) => [one.message.uuid, one]));
    if (!this.#isUnasked && taken.size === 0) {
      this.#finish();
      return;
    }
    await Promise.all([...taken.values()].map(({ written }) => written));
    if (this.#hasEnded) return;
    try {
      const receipt: unknown = await query.interrupt({ cancelQueued });
      const { cancelled, still_queued: left } = (isObject(receipt) ? receipt : {}) as InterruptReceipt;
      for (const uuid of textsIn(cancelled)) taken.delete(uuid);
      for (const uuid of textsIn(left)) {
        if (!cancelQueued && !taken.has(uuid)) continue;
        if ((await query.cancelAsyncMessage?.(uuid)) === true) taken.delete(uuid);
      }
      if (!this.#isUnasked && taken.size === 0) this.#finish();
    } catch {
      // The process has ended, and says so itself; one that is deaf has its grace.
    }
  }
}

function tell({ context, text, outputTokens }: ModelCall): void {
  if (context === undefined) return;
  if (text === '') context.progress();
  else context.partial({ text, message: { role: 'assistant', content: [{ type: 'text', text }] } });
  context.usage({ outputTokens });
}
