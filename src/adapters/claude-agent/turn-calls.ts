/**
 * The calls of the executable's loop as calls of a turn: each has its row from the moment when it may begin – the executable
 * asks – to its result, and one that a stop kept from beginning is told so.
 *
 * @module
 */
import {
  CancellationTokenSource as Sources,
  createCancelledError,
  isObject,
  tokenOf,
  type ToolContext,
  type Turn,
} from '../../core/inside.ts';
import { ofItsKind } from '../../guard/results/late-values.ts';
import { textOf, type ToldOutcome, type WordsOf } from '../../guard/told-words.ts';
import {
  asError,
  blocksOf,
  type Block,
  type CanUseTool,
  type Frame,
  type Permission,
  type PermissionRequest,
  textsIn,
} from './shapes.ts';

/** What the calls of one prompt share. */
export interface CallParts {
  readonly turn: Turn;
  readonly dialect: WordsOf;
  readonly graceMs: number | undefined;
  /** Stops what the executable runs for a call, if it can do that to one alone. */
  readonly stopAlone: (callId: string) => void;
  /** Whether a tool is one of a server of this process. */
  readonly isOwnTool: (name: string) => boolean;
}

type Result = Pick<Block, 'content' | 'is_error'>;

interface Call {
  /** `undefined` for one that did not begin. */
  readonly context: Promise<ToolContext | undefined>;
  readonly outcome: Promise<ToldOutcome>;
  readonly end: (ended: Ended) => void;
}

/** What the executable says of a call, what its work has thrown here, or a person has said to it. */
type Ended = Result | Error | { readonly thrown: unknown } | { readonly no: Permission };

type Answered = { readonly value: Permission } | { readonly error: unknown };

/** The calls of one prompt. */
export class TurnCalls {
  readonly #parts: CallParts;
  /** Asked for by the model, and not begun. */
  readonly #waiting = new Map<string, Block>();
  readonly #begun = new Map<string, Call>();
  readonly #open = new Set<string>();
  /** Those whose request has come to a server of this process. */
  readonly #arrived = new Set<string>();
  /** Those whose work is done in this process, and says itself how it ends. */
  readonly #own = new Set<string>();
  /** What the executable has said of each, and whether it did not wait for the work here. */
  readonly #said = new Map<string, { readonly result: Result; readonly isGivenUp: boolean }>();

  constructor(parts: CallParts) {
    this.#parts = parts;
  }

  /** Whether the model waits for none of them. */
  get areAnswered(): boolean {
    return this.#waiting.size === 0 && this.#open.size === 0;
  }

  /** Whether it is one of them. */
  has(id: string): boolean {
    return this.#begun.has(id) || this.#waiting.has(id);
  }

  /** Reads what a message says of calls. */
  follow(frame: Frame): void {
    const { parent_tool_use_id: of } = frame;
    const parent = typeof of === 'string' ? this.#known(of) : undefined;
    for (const block of blocksOf(frame)) {
      const { type, id, tool_use_id: resultOf } = block;
      if (type === 'tool_use' && typeof id === 'string' && !this.#begun.has(id)) this.#waiting.set(id, block);
      if (type === 'tool_result' && typeof resultOf === 'string') this.#ended(resultOf, block);
      // What a sub-agent says is what its call has produced.
      const text = frame.type === 'assistant' ? textOf(block) : '';
      if (parent !== undefined && text !== '') void parent.context.then((context) => context?.partial(text));
    }
  }

  /** The executable is about to run a call: gives what the model reads instead, if it must not. */
  async begin(id: string, name: string, input: unknown): Promise<string | undefined> {
    const { turn, isOwnTool } = this.#parts;
    if (isOwnTool(name) && !turn.token.isCancelled) {
      // It begins when it arrives: a stop may come before.
      if (!this.#begun.has(id)) this.#waiting.set(id, { name, input });
      return undefined;
    }
    const call = this.#call(id, name, input);
    return (await call.context) === undefined ? this.#words(await call.outcome) : undefined;
  }

  /** The request for a call has come to this process: gives what the model reads instead, if its work must not begin. */
  async arrive(id: string): Promise<string | undefined> {
    const call = this.#known(id);
    const context = await call?.context;
    if (call === undefined || context?.token.isCancelled === false) {
      this.#arrived.add(id);
      return undefined;
    }
    call.end(new Error('It did not begin'));
    return this.#words(await call.outcome);
  }

  /** The executable asks whether a call may run: a question of the call, which a stop withdraws. */
  async permission(ask: CanUseTool, name: string, input: unknown, request: PermissionRequest): Promise<Permission> {
    const call = this.#call(request.toolUseID, name, input);
    const context = await call.context;
    let said: Permission = {};
    const refused = async (): Promise<Permission> => {
      // The executable runs nothing of it.
      call.end(new Error('Not allowed'));
      return { ...said, behavior: 'deny', message: this.#words(await call.outcome), interrupt: true };
    };
    if (context === undefined) return refused();
    const asking = new Sources({ parent: [context.token, tokenOf(request.signal)] });
    try {
      const asked = context.ask<Answered>((respond) => {
        asking.token.onCancelled(() => {
          if (!context.token.isCancelled) respond({ value: withdrawn });
        });
        new Promise((resolve) => {
          resolve(ask(name, input, { ...request, signal: asking.signal }));
        }).then(
          (given) => {
            const value: Permission = isObject(given) ? given : {};
            const isNo = value.behavior === 'deny' && !request.signal.aborted;
            // A person who says no to several at once has said so of each, whichever of them stops the turn.
            if (isNo) {
              said = value;
              call.end({ no: value });
            }
            if (respond({ value }) && isNo && value.interrupt === true) context.cancelTurn('user');
          },
          (error: unknown) => respond({ error }),
        );
      });
      // Only a stop, or the end of the call, leaves it without an answer.
      const answer = await asked.catch(() => undefined);
      if (answer === undefined || context.token.isCancelled) return await refused();
      if ('error' in answer) throw answer.error;
      const { value } = answer;
      return value === said ? { ...value, message: this.#words(await call.outcome) } : value;
    } finally {
      asking.release();
    }
  }

  /** Does the work of a call in this process: its row is that of the work. */
  async use<R>(id: string, work: (context: ToolContext) => R | PromiseLike<R>): Promise<R> {
    const call = this.#known(id) ?? this.#call(id, '', undefined);
    const context = await call.context;
    if (context?.token.isCancelled !== false) throw new Error(this.#words(await call.outcome));
    // Its row is that of one work: nobody would wait for another, or stop it.
    if (this.#own.has(id) || !this.#open.has(id)) {
      throw new Error('This call is over, or works already: all that it does belongs into one session.use()');
    }
    this.#own.add(id);
    const own = (async (): Promise<R> => await work(context))();
    own.then(
      (given) => {
        const { content } = (isObject(given) ? given : {}) as Result;
        call.end({ content: content ?? given });
      },
      (thrown: unknown) => {
        call.end({ thrown });
      },
    );
    return await new Promise<R>((resolve, reject) => {
      call.outcome
        .then(async (row) => {
          if (row.status === 'failed') throw row.error;
          if (row.status !== 'completed') throw new Error(this.#words(row));
          const value = await own;
          const { dialect, turn } = this.#parts;
          resolve(turn.token.isCancelled ? value : (ofItsKind({ ...row, value }, dialect) as R));
        })
        .catch(reject);
    });
  }

  /** The executable will say nothing more of calls. */
  end(error: Error): void {
    for (const [id, { end }] of this.#begun) if (!this.#own.has(id)) end(error);
  }

  /** What became of each; gives those of which the executable's own record does not say what is known here. */
  async outcomes(): Promise<readonly ToldOutcome[]> {
    // After a stop each that did not begin has a row that says so.
    const waiting = this.#parts.turn.token.isCancelled ? [...this.#waiting] : [];
    for (const [id, { name, input }] of waiting) this.#call(id, String(name), input);
    const rows = await Promise.all([...this.#begun].map(async ([id, { outcome }]) => ({ id, row: await outcome })));
    const isUntold = ({ id, row }: (typeof rows)[number]): boolean => {
      const said = this.#said.get(id);
      if (said === undefined) return true;
      const { result, isGivenUp } = said;
      if (row.status === 'completed') return result.is_error === true;
      const words = row.status === 'failed' ? asError(row.error).message : this.#words(row);
      return (isGivenUp || this.#parts.turn.token.isCancelled) && !textOf(result.content).includes(words);
    };
    return rows.filter(isUntold).map(({ row }) => row);
  }

  #words(outcome: ToldOutcome): string {
    return this.#parts.dialect.texts.outcome(outcome, this.#parts.turn.token.reason);
  }

  #ended(id: string, result: Result): void {
    const call = this.#known(id);
    const isOwn = this.#own.has(id);
    this.#said.set(id, { result, isGivenUp: isOwn && this.#open.has(id) });
    if (!isOwn) call?.end(result);
    this.#open.delete(id);
  }

  /** A call that must have begun, if there is one, whether the executable said so or not. */
  #known(id: string): Call | undefined {
    const waiting = this.#waiting.get(id);
    return waiting === undefined ? this.#begun.get(id) : this.#call(id, String(waiting.name), waiting.input);
  }

  /** The row of a call. */
  #call(id: string, name: string, input: unknown): Call {
    const known = this.#begun.get(id);
    if (known !== undefined) return known;
    const { turn, graceMs, stopAlone, isOwnTool } = this.#parts;
    let end: Call['end'] = () => undefined;
    const result = new Promise<Ended>((resolve) => {
      end = resolve;
    });
    let begun: (context: ToolContext | undefined) => void = () => undefined;
    const context = new Promise<ToolContext | undefined>((resolve) => {
      begun = resolve;
    });
    const work = async (_call: unknown, own: ToolContext): Promise<unknown> => {
      begun(own);
      const alone = own.token.onCancelled(() => {
        if (!turn.token.isCancelled) stopAlone(id);
      });
      const ended = await result.finally(() => {
        alone.unregister();
      });
      if ('no' in ended) return own.decline(textsIn([ended.no.message])[0]);
      if ('thrown' in ended) throw ended.thrown;
      if (ended instanceof Error) {
        own.checkpoint();
        throw ended;
      }
      if (ended.is_error !== true) return ended.content;
      // The executable gives a call of a server up, and does not wait for what becomes of the work there.
      if (name.startsWith('mcp__') && (this.#arrived.has(id) || !isOwnTool(name))) leave(own, name);
      own.checkpoint();
      throw new Error(textOf(ended.content));
    };
    const outcome = turn
      .tool({ id: id || crypto.randomUUID(), name: name || 'tool', input }, work, { graceMs })
      .then((row: ToldOutcome) => {
        begun(undefined);
        this.#open.delete(id);
        return row;
      });
    const call = { context, outcome, end };
    this.#waiting.delete(id);
    this.#begun.set(id, call);
    this.#open.add(id);
    return call;
  }
}

/** The executable has its answer from elsewhere, and hears none. */
const withdrawn: Permission = { behavior: 'deny', message: 'Withdrawn' };

/** @throws CancelledError – it was stopped, and goes on or not: nobody knows. */
function leave({ token }: ToolContext, name: string): void {
  const { reason } = token;
  if (reason === undefined) return;
  throw createCancelledError(reason, { abandoned: { name, isOver: true } });
}
