/**
 * One call of a guarded tool: whose stop it hears, and what its outcome is to the caller. Knows the shapes in which
 * frameworks hand over a signal and the id of a call, and none of the frameworks.
 *
 * @module
 */
import { withCheckpoints } from '../core/combinators/checkpoint.ts';
import type { CancelContext } from '../core/combinators/engine/work-context.ts';
import { withCancellation } from '../core/combinators/with-cancellation.ts';
import { holdGrace } from '../core/combinators/engine/grace.ts';
import type { Releasable } from '../core/foundation/disposable.ts';
import { isObject, isThenable, type OptionsOnly } from '../core/foundation/check.ts';
import { createCancelledError } from '../core/foundation/errors.ts';
import { tokenOf } from '../core/token/bridge/linked-tokens.ts';
import type { CancellationToken } from '../core/token/cancellation-token.ts';
import type { TokenLike } from '../core/token/cancellation-token.ts';
import type { Token } from '../core/token/token.ts';
import { CancellationTokenSource } from '../core/token/cancellation-token-source.ts';
import { text } from '../core/interrupt/calls/call-identity.ts';
import type { ToolOptions } from '../core/interrupt/public-types/call-options.ts';
import { callIdOf, signalsIn, strandsUse, withSignal } from './arguments.ts';
import { isPairOf, langChainResult } from './results/langchain-results.ts';
import { isShown, ownOf, type ToldForms } from './results/told-forms.ts';
import { toldValue, noteOf } from './results/late-values.ts';
import { strandsBlock } from './results/strands-results.ts';
import { rowOfCall } from './row-of-call.ts';
import { Pauses } from './pauses.ts';
import type { WordsOf } from './told-words.ts';
import type { ToolCall } from '../core/interrupt/calls/tool-call.ts';
import type { Turn } from '../core/interrupt/public-types/turn.ts';
import type { ToolOutcome } from '../core/interrupt/public-types/outcomes.ts';
import { ownerOf, runningCalls, turnOf } from '../core/interrupt/turn/turn-of-token.ts';
import { Declined } from '../core/interrupt/calls/tool-context.ts';
import { ambientToken } from '../core/interrupt/turn/ambient-token.ts';
import { runningTurns } from '../core/interrupt/turn/running-turns.ts';
import type { TurnRun } from '../core/interrupt/turn/turn-run.ts';

type Args = readonly unknown[];

/**
 * Options of `guardTool` and `guardTools`.
 *
 * @since 0.1.0
 */
export interface GuardOptions extends OptionsOnly, Pick<ToolOptions<unknown>, 'graceMs' | 'onInterject' | 'aside'> {
  /**
   * The turn the calls belong to; by default found by the signal that a call is given. When it has ended its calls are refused:
   * a loop that another turn resumes needs tools that were guarded without it.
   */
  readonly turn?: Omit<Turn, 'model'> | undefined;
  /**
   * The framework's id of a call, from the arguments of the tool, where it is not found by itself: in `execute(id, input)`
   * it is the first of them, so `([id]) => id`. What is no text, or an empty one, stands for none. What the model wrote into
   * the input of the tool is never taken for it: where no signal is given, only what JSON cannot hold says an id.
   */
  readonly identify?: ((args: readonly unknown[]) => unknown) | undefined;
  /**
   * In whose words the model reads of a call that did not complete while its turn goes on, such as `openaiChat` of
   * `desist/transcript/openai-chat`: they are its result. A value that came after the stop has their note: as one more of its parts, in
   * what `toModelOutput` gives, or behind its text or JSON; of an instance of a class `toModelOutput` gives none. Without a dialect the call
   * rejects, and the framework has words of its own for that.
   * A stream ends with the error of its stop all the same.
   */
  readonly dialect?: WordsOf | undefined;
  /**
   * Makes a result of those words where the caller of the tool takes no text. A handler of MCP returns
   * `{ content: [{ type: 'text', text }], isError: true }`, a function behind a tool of LangChain with an artifact `[text, undefined]`.
   */
  readonly toResult?: ((text: string) => unknown) | undefined;
}

/** What a door says to the guards of its loop, besides the options of their user. */
export interface InnerGuardOptions extends GuardOptions {
  /** The id of the call that runs the loop. */
  readonly within?: string | undefined;
  /** Told of what became a result by the dialect. */
  readonly onTold?: ((result: unknown) => void) | undefined;
  /** What its framework asks for forms of results. */
  readonly forms?: ToldForms | undefined;
  /** How its framework is told of a value that came after the stop, where it takes no text, no parts and no form. */
  readonly late?: ((value: unknown, note: string) => unknown) | undefined;
}

/** What is called, and how it is told to stop. */
export interface GuardedCall {
  readonly name: string;
  /** What was guarded. */
  readonly tool?: object;
  readonly args: Args;
  /** The tool itself. `keep` takes what it has produced so far; the token is the call's own, if anything can stop it. */
  readonly run: (args: Args, keep: (value: unknown) => void, token?: CancellationToken) => unknown;
  readonly options: InnerGuardOptions;
}

/** The signal of a turn, whatever others stand beside it, else the first one. Options come last, so the search starts there. */
function findSignal(args: Args): AbortSignal | undefined {
  const signals = [...args].reverse().flatMap(signalsIn);
  return signals.find((signal) => ownerOf(tokenOf(signal)) !== undefined) ?? signals[0];
}

/** The same arguments with the call's own signal; whatever else the options hold, and what they are, stays. */
function withOwn(args: Args, found: AbortSignal | undefined, own: AbortSignal): Args {
  return found === undefined ? args : withSignal(args, found, own);
}

/** What says that an error is the stop of a signal that the tool has heard itself. */
function isReasonOf(found: AbortSignal | undefined): (error: unknown) => boolean {
  return (error) => found?.aborted === true && error === found.reason;
}

/** The value of a call, or the error that stands for its outcome. */
function valueOf({ token }: TurnRun, name: string, outcome: ToolOutcome, isBelowCall: boolean): unknown {
  if (outcome.status === 'failed') throw outcome.error;
  if (outcome.status === 'declined') throw new Declined(outcome.userMessage ?? `${name} was declined`);
  if (outcome.status === 'completed') {
    const { reason } = token;
    // Nothing may follow; what was finished is in the ledger and in the error.
    if (reason !== undefined) throw createCancelledError(reason, { completed: { value: outcome.value } });
    return outcome.value;
  }
  // It goes on in the background: what it had so far is all there is to answer with now.
  if (outcome.status === 'detached') return outcome.partial;
  // It has a row of its own, which names it; the call around it has stopped.
  const isNews = outcome.status === 'unknown' && !isBelowCall;
  throw createCancelledError(outcome.reason, isNews ? { abandoned: { name } } : {});
}

/** What the caller is told in words of the dialect while the turn goes on; `undefined` where its own value says how the call ended. */
function toldOf(outcome: ToolOutcome, turn: TurnRun, call: GuardedCall): { readonly result: unknown } | undefined {
  const { args, tool = {}, options } = call;
  const { dialect, toResult, onTold, forms, late } = options;
  const isOwn = outcome.status === 'completed' && outcome.afterStop !== true;
  if (dialect === undefined || outcome.status === 'failed' || isOwn) return undefined;
  if (outcome.status !== 'completed') {
    const words = dialect.texts.outcome(outcome, undefined);
    onTold?.(words);
    const use = strandsUse(args[0]);
    const own = use === undefined ? words : strandsBlock(use.id, words);
    const result = toResult === undefined ? own : toResult(words);
    forms?.keep(result, { words });
    return { result };
  }
  const { value } = outcome;
  const note = noteOf(outcome, dialect);
  if (late !== undefined) return { result: late(value, note) };
  const form = isShown(tool, args, value) ? forms : undefined;
  const pair = { dialect, toResult, isPair: isPairOf(turn.token, args) };
  const result = form !== undefined && isObject(value) ? ownOf(value) : toldValue(outcome, pair);
  // What is the value itself may be that of other calls, too.
  if (result !== value) form?.keep(result, { value, note });
  if (form !== undefined || typeof result === 'string') onTold?.(result);
  return { result };
}

/** The calls that a guard made, as the ledger has them, and of what. */
const made = new WeakMap<object, object | undefined>();

/**
 * Whether a guard made the call that a signal belongs to, and it is not this one: a tool that is itself an agent, or that calls
 * itself. Only an id that the framework has given to both says that they are one.
 */
function isInside({ call, id }: ToolCall<unknown, unknown>, { args, tool }: GuardedCall): boolean {
  if (!isObject(call) || !made.has(call)) return false;
  return callIdOf(args, tool) !== id || (tool !== undefined && made.get(call) === tool);
}

/** The id of the call of this turn that a token is of. */
function idAround(turn: TurnRun, token: TokenLike | undefined): string | undefined {
  const owner = token === undefined ? undefined : ownerOf(tokenOf(token));
  return owner?.owns === 'call' && owner.turn === turn ? owner.id : undefined;
}

/**
 * The id of the call of this turn that a call is made within: by its signal, the flow of calls, or what its guard says. A
 * program that runs its calls by `turn.tools` has their rows from there, so what it calls meanwhile without an id of a
 * framework is a part of one of them.
 */
function callAround(turn: TurnRun, around: TokenLike | undefined, hasId: boolean, within?: string): string | undefined {
  for (const token of [around, ambientToken()]) {
    const id = idAround(turn, token);
    if (id !== undefined) return id;
  }
  if (within !== undefined || hasId) return within;
  return runningCalls(turn).find(({ call }) => !isObject(call) || !made.has(call))?.id;
}

async function inLedger(
  turn: TurnRun,
  call: GuardedCall,
  found: AbortSignal | undefined,
  above?: TokenLike,
): Promise<unknown> {
  const { name, tool, args, run, options } = call;
  const own = new CancellationTokenSource({ parent: [found, above].filter((each) => each !== undefined) });
  const pauses = new Pauses();
  let answer: (() => unknown) | undefined;
  const pause = (given: () => unknown): never => {
    answer = given;
    own.cancel({ message: 'The call waits for a person: its loop was left' });
    throw own.signal.reason;
  };
  const failing = (error: unknown): never => {
    if (!pauses.isError(error) || own.isCancelled) throw error;
    return pause(() => {
      throw error;
    });
  };
  const passing = (value: unknown): unknown => (pauses.isSuspended && !own.isCancelled ? pause(() => value) : value);
  const { graceMs, onInterject, identify, aside } = options;
  const identified = text(identify?.(args));
  const given = identified ?? callIdOf(args, tool);
  // A tool that calls itself hands on what it was given, with the id.
  const isFresh = given === undefined || idAround(turn, above) === given;
  const id = isFresh ? `${name}-${String(turn.calls.length + 1)}` : given;
  const within = callAround(turn, above ?? found, given !== undefined, options.within);
  // The turn's own way in: it may be a turn of another copy of the package.
  const asked = Object.defineProperties(
    rowOfCall({ id, name, args, within, identified }),
    langChainResult(turn.token, args),
  );
  made.set(asked, tool);
  let held: Releasable | undefined;
  if (above !== undefined) {
    // The call around this one is not deaf as long as this one has its grace.
    own.token.onCancelled(() => {
      held = holdGrace(own.token);
    });
  }
  const outcome = await turn.runTool(
    turn,
    asked,
    (_call, context) => {
      try {
        const own = pauses.heardIn(withOwn(args, found, context.signal));
        const result = run(own, context.partial, context.token);
        // Of a `then` the language asks for no result.
        return isThenable(result) ? Promise.resolve(result).then(passing, failing) : passing(result);
      } catch (error) {
        return failing(error);
      }
    },
    // A framework's own signal for the call may end before the turn's. What a tool calls is a part of it.
    {
      graceMs,
      onInterject,
      aside: aside === true || within !== undefined,
      token: own.token,
      isStop: isReasonOf(found),
    },
  );
  own.release();
  held?.release();
  if (answer !== undefined) return answer();
  const told = above === undefined && !turn.token.isCancelled ? toldOf(outcome, turn, call) : undefined;
  if (told !== undefined) return told.result;
  return valueOf(turn, name, outcome, above !== undefined);
}

/** A stop is heard, and a deaf tool answered in time; the ledger has the call already, or there is none. */
function withoutLedger(token: Token, { name, args, run, options }: GuardedCall, found?: AbortSignal): Promise<unknown> {
  const { graceMs } = options;
  // What hears the stop by itself is left as it is.
  const isHeard = found !== undefined && tokenOf(found) === token;
  const work = ({ signal, token: own }: CancelContext): unknown =>
    run(isHeard ? args : withOwn(args, found, signal), () => undefined, own);
  return withCheckpoints(token, () => withCancellation(token, work, { graceMs, name, isStop: isReasonOf(found) }))();
}

/** Nothing leads from the call to a turn, although turns run: its listeners want to know. */
function sayUnledgered(name: string): void {
  for (const turn of [...runningTurns]) turn.unledgered(name);
}

/** Makes the call. One that nothing can stop – no signal, no turn – is simply made. */
export async function callGuarded(call: GuardedCall): Promise<unknown> {
  const own = call.options.turn?.token;
  const found = findSignal(call.args);
  const heard = found === undefined ? undefined : tokenOf(found);
  // The option, then the signal of the call, then the flow of calls it is part of.
  const ambient =
    own === undefined && (heard === undefined || ownerOf(heard) === undefined) ? ambientToken() : undefined;
  const inFlow = ambient === undefined || ownerOf(tokenOf(ambient)) === undefined ? undefined : tokenOf(ambient);
  const token = own === undefined ? (inFlow ?? heard) : tokenOf(own);
  if (token === undefined || ownerOf(token) === undefined) sayUnledgered(call.name);
  if (token === undefined) return call.run(call.args, () => undefined);
  const around = inFlow ?? heard;
  const nearest = around === undefined ? undefined : ownerOf(around);
  if (around !== undefined && nearest?.owns === 'call') {
    if (!isInside(nearest, call)) return withoutLedger(around, call, found);
    const turn = (own && turnOf(tokenOf(own))) ?? turnOf(nearest.turn.token);
    return turn === undefined ? withoutLedger(around, call, found) : inLedger(turn, call, found, ambient ?? found);
  }
  const owner = ownerOf(token);
  return owner?.owns === 'turn' ? inLedger(owner, call, found) : withoutLedger(token, call, found);
}
