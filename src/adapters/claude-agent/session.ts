/**
 * A session: one process of the executable after the other, each read to its end, and at most one prompt at a time.
 *
 * Invariants: what a process says is read by one reader, for as long as it lives; a call that nobody is there to stop does
 * not begin; what a stopped prompt left untold stands before the next one.
 *
 * @module
 */
import {
  callSafely,
  type InterruptController,
  isObject,
  type ToolContext,
  tokenOf,
  type Turn,
} from '../../core/inside.ts';
import { type ToldOutcome, type WordsOf } from '../../guard/told-words.ts';
import { BackgroundTasks } from './background-tasks.ts';
import { Exchange } from './exchange.ts';
import { callIdOf, ownServers, type OwnServers } from './own-servers.ts';
import { Prompts } from './prompts.ts';
import {
  asError,
  type CanUseTool,
  type Frame,
  type HookInput,
  isFrame,
  type OwnQuery,
  type Permission,
  type PermissionRequest,
  textsIn,
} from './shapes.ts';
import { TurnCalls } from './turn-calls.ts';

/** What a session is made of. */
export interface SessionParts {
  readonly controller: InterruptController;
  readonly query: (given: { readonly prompt: AsyncIterable<unknown>; readonly options: object }) => OwnQuery;
  readonly dialect: WordsOf;
  readonly options: object;
  readonly cancelQueued: boolean;
  readonly stopsBackground: boolean;
  readonly graceMs: number | undefined;
  readonly idleMs: number | undefined;
  readonly onMessage: ((message: unknown) => void) | undefined;
}

/** One process. */
interface Process {
  readonly query: OwnQuery;
  readonly prompts: Prompts;
  readonly tasks: BackgroundTasks;
  readonly kill: () => void;
  /** The last that it was given. */
  running: Running | undefined;
}

interface Options {
  readonly canUseTool?: CanUseTool | undefined;
  readonly hooks?: { readonly PreToolUse?: readonly object[] } | undefined;
  readonly persistSession?: boolean | undefined;
}

/** What runs now. */
interface Running {
  readonly exchange: Exchange;
  readonly calls: TurnCalls;
}

/** What says in the options how a conversation begins. */
const anew = { continue: false, forkSession: false, sessionId: undefined, resumeSessionAt: undefined };

/** What is said to work that comes too late. */
const over = 'This call is over: its work did not begin';

/** One conversation. */
export class Session {
  readonly #parts: SessionParts;
  readonly #servers: OwnServers;
  #process: Process | undefined;
  #reading: Promise<void> = Promise.resolve();
  #running: Running | undefined;
  #id: string | undefined;
  #isClosed = false;
  /** Something that the executable began by itself was told to stop, and has not ended. */
  #isRefused = false;
  /** What the model has to know of calls, until the executable has read it. */
  #notes: readonly object[] = [];

  constructor(parts: SessionParts) {
    this.#parts = parts;
    this.#servers = ownServers(parts.options, async (callId) =>
      this.#isOver(callId) ? over : await this.#running?.calls.arrive(callId),
    );
  }

  get id(): string | undefined {
    return this.#id;
  }

  get query(): OwnQuery | undefined {
    return this.#process?.query;
  }

  /** Runs a prompt, and what a person says meanwhile behind it. */
  async prompt(turn: Turn, content: string | readonly object[]): Promise<Frame> {
    turn.checkpoint();
    if (this.#isClosed) throw new TypeError('the session is closed');
    if (this.#running !== undefined) throw new TypeError('the session is at work already: wait for it, or stop it');
    const own = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    return await this.#run(turn, own, this.#begin(turn));
  }

  /** Does the work of a call in this process. */
  async use<R>(extra: unknown, work: (context: ToolContext | undefined) => R | PromiseLike<R>): Promise<R> {
    const id = callIdOf(isObject(extra) ? extra : undefined);
    if (id !== undefined && this.#isOver(id)) throw new Error(over);
    const calls = this.#running?.calls;
    return id !== undefined && calls?.has(id) === true ? await calls.use(id, work) : await work(undefined);
  }

  /** Whether nobody could stop the work of a call: it is neither of what runs now nor of a background task. */
  #isOver(id: string): boolean {
    return this.#running?.calls.has(id) !== true && this.#process?.tasks.runs(id) !== true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#process?.tasks.cancel();
    this.#process?.kill();
    await this.#reading;
  }

  async #run(turn: Turn, content: readonly object[] | undefined, begun: Running): Promise<Frame> {
    let running = begun;
    for (let next = content; ; running = this.#begin(turn)) {
      const notes = this.#notes;
      const given = next && [...notes, ...next];
      const { result, failure, untold, unread } = await running.exchange.run(given).finally(() => {
        if (this.#running === running) this.#running = undefined;
      });
      const left = given === undefined ? notes : notes.filter((note) => unread.includes(note));
      this.#notes = [...left, ...untold.map((outcome) => this.#note(outcome, turn))];
      turn.checkpoint();
      if (failure !== undefined) throw failure.error;
      next = unread.filter((part) => !notes.includes(part));
      if (result === undefined || turn.hasInterjections) continue;
      const { subtype, is_error: isError, result: text, errors } = result;
      if (subtype === 'success' && isError !== true) return result;
      throw new Error([text, ...textsIn(errors), subtype].find((said) => typeof said === 'string'));
    }
  }

  #note(outcome: ToldOutcome, { token }: Turn): object {
    const text = `[${outcome.name}: ${this.#parts.dialect.texts.outcome(outcome, token.reason)}]`;
    return { type: 'text', text };
  }

  #begin(turn: Turn): Running {
    const { controller, dialect, graceMs, idleMs, cancelQueued, stopsBackground } = this.#parts;
    const process = (this.#process ??= this.#open());
    const { query, prompts, tasks, kill } = process;
    const stopAlone = (callId: string): void => {
      tasks.stopOf(callId);
    };
    const calls = new TurnCalls({ turn, dialect, graceMs, stopAlone, isOwnTool: this.#servers.has });
    const onStop = (): void => {
      if (stopsBackground) tasks.cancel();
    };
    const limits = { cancelQueued, graceMs, idleMs };
    const exchange = new Exchange({ controller, turn, calls, query, prompts, ...limits, onStop, kill });
    return (this.#running = process.running = { exchange, calls });
  }

  /** Starts a process. */
  #open(): Process {
    const { controller, query: start, options } = this.#parts;
    const { canUseTool, hooks, persistSession } = options as Options;
    // Without what was kept on disk it would begin anew, and nobody would know.
    if (this.#id !== undefined && persistSession === false) throw new Error('The session has ended, and was not kept');
    const prompts = new Prompts();
    const abortController = new AbortController();
    const query = start({
      prompt: prompts,
      options: {
        ...options,
        ...this.#servers.option,
        ...(this.#id !== undefined && { ...anew, resume: this.#id }),
        ...(canUseTool !== undefined && { canUseTool: this.#permission(canUseTool) }),
        hooks: { ...hooks, PreToolUse: [...(hooks?.PreToolUse ?? []), { hooks: [this.#beforeTool] }] },
        abortController,
        includePartialMessages: true,
        // Each task is background work, with a stop of its own.
        perTaskStopAffordance: true,
      },
    });
    const tasks = new BackgroundTasks(controller, query);
    const leave = (): void => {
      if (this.#process === process) this.#process = undefined;
      prompts.close();
    };
    const ended = (error: Error): void => {
      leave();
      tasks.ended(error);
      process.running?.exchange.fail(error);
    };
    const kill = (): void => {
      leave();
      abortController.abort();
    };
    const process: Process = { query, prompts, tasks, kill, running: undefined };
    this.#reading = this.#read(process).then(
      () => {
        ended(new Error('The session has ended'));
      },
      (error: unknown) => {
        ended(asError(error));
      },
    );
    return process;
  }

  async #read(process: Process): Promise<void> {
    for await (const message of process.query) {
      if (this.#process !== process) continue;
      if (isFrame(message)) await this.#take(message, process);
      callSafely(tokenOf(undefined), this.#parts.onMessage, message);
    }
  }

  async #take(frame: Frame, { query, tasks }: Process): Promise<void> {
    if (typeof frame.session_id === 'string' && frame.session_id !== '') this.#id = frame.session_id;
    if (frame.type === 'system') tasks.follow(frame);
    const isOwnStep = frame.type === 'stream_event' && typeof frame.parent_tool_use_id !== 'string';
    const isStart = isOwnStep && frame.event?.type === 'message_start';
    if (isStart && this.#running === undefined && !this.#isRefused) await this.#runUnasked(query);
    if (frame.type === 'result') this.#isRefused = false;
    this.#running?.exchange.take(frame);
  }

  /** The executable has begun by itself. Resolves when a turn has taken it over, or none was let in. */
  #runUnasked(query: OwnQuery): Promise<void> {
    return new Promise((resolve) => {
      const body = (turn: Turn): Promise<Frame> => {
        const running = this.#begin(turn);
        resolve();
        return this.#run(turn, undefined, running);
      };
      this.#parts.controller.runTurn(body, { isAutomatic: true }).then(
        () => {
          // It was stopped before it could begin.
          resolve();
        },
        () => {
          // A person has stopped the agent, or it is at other work.
          this.#isRefused = true;
          Promise.resolve(query.interrupt({ cancelQueued: false })).catch(() => undefined);
          resolve();
        },
      );
    });
  }

  /** What the executable asks before any call begins. */
  readonly #beforeTool = async (input: HookInput, toolUseId: string | undefined): Promise<object> => {
    const calls = this.#running?.calls;
    if (toolUseId === undefined || this.#process?.tasks.begin(input.agent_id, toolUseId) === true) return {};
    const said =
      calls === undefined
        ? 'Nobody has asked for this, and nobody could stop it'
        : await calls.begin(toolUseId, String(input.tool_name), input.tool_input);
    if (said === undefined) return {};
    const hookEventName = 'PreToolUse';
    return { hookSpecificOutput: { hookEventName, permissionDecision: 'deny', permissionDecisionReason: said } };
  };

  #permission(ask: CanUseTool) {
    return async (name: string, input: unknown, request: PermissionRequest): Promise<Permission> => {
      const calls = this.#running?.calls;
      // A task asks beside the turn, and hears of its own stop.
      if (calls !== undefined && this.#process?.tasks.has(request.agentID) !== true) {
        return await calls.permission(ask, name, input, request);
      }
      const given = await ask(name, input, request);
      return isObject(given) ? given : {};
    };
  }
}
