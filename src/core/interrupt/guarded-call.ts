/**
 * One call of a guarded tool: whose stop it hears, and what its outcome is to the caller.
 * In the interrupt room between the ledger and `guard-tools.ts`. Knows the shapes in which frameworks hand over a signal
 * and the id of a call, and none of the frameworks.
 *
 * @module
 */
import { withCheckpoints } from '../combinators/checkpoint.ts';
import type { CancelContext } from '../combinators/context.ts';
import { withCancellation } from '../combinators/with-cancellation.ts';
import { createCancelledError } from '../foundation/errors.ts';
import { tokenOf } from '../token/link.ts';
import { isAbortSignal } from '../token/signal.ts';
import type { Token } from '../token/source.ts';
import { fieldsOf, text } from './call-identity.ts';
import type { ToolOptions } from './call-options.ts';
import { isPlain, plainCopy } from './guarded-shape.ts';
import type { Turn } from './handles.ts';
import type { ToolOutcome } from './outcomes.ts';
import { placeOf } from './place.ts';
import { runTool } from './tool-calls.ts';
import { Declined } from './tool-context.ts';
import type { TurnState } from './turn-state.ts';

type Args = readonly unknown[];

/**
 * Options of `guardTool` and `guardTools`.
 *
 * @since 0.1.0
 */
export interface GuardOptions extends Pick<ToolOptions<unknown>, 'graceMs' | 'onInterject'> {
  /** The turn the calls belong to; by default found by the signal that a call is given. */
  readonly turn?: Turn | undefined;
}

/** What is called, and how it is told to stop. */
export interface GuardedCall {
  readonly name: string;
  readonly args: Args;
  /** The tool itself. `keep` takes what it has produced so far. */
  readonly run: (args: Args, keep: (value: unknown) => void) => unknown;
  readonly options: GuardOptions;
}

/** Where a signal was found among the arguments: at `index` itself, or in its field. */
interface Found {
  readonly signal: AbortSignal;
  readonly index: number;
  readonly field?: string;
}

/** Options come last, so the search starts there. */
function findSignal(args: Args): Found | undefined {
  for (let index = args.length - 1; index >= 0; index--) {
    const arg = args[index];
    if (isAbortSignal(arg)) return { signal: arg, index };
    for (const field of ['abortSignal', 'signal']) {
      const signal = fieldsOf(arg)[field];
      if (isAbortSignal(signal)) return { signal, index, field };
    }
  }
  return undefined;
}

/** The same arguments with the call's own signal; whatever else the options hold, and what they are, stays. */
function withSignal(args: Args, { index, field }: Found, signal: AbortSignal): Args {
  const copy = [...args];
  if (field === undefined) copy[index] = signal;
  else {
    const options = args[index] as object;
    copy[index] = isPlain(options)
      ? plainCopy(options, new Map([[field, signal]]))
      : Object.create(options, { [field]: { value: signal, enumerable: true, writable: true, configurable: true } });
  }
  return copy;
}

/** What the framework calls this call, wherever it says so. */
function callIdOf(args: Args): string | undefined {
  for (const arg of [...args].reverse()) {
    const fields = fieldsOf(arg);
    const call = fieldsOf(fields['toolCall'] ?? fields['agent']);
    const own = fields['type'] === 'tool_call' ? fields['id'] : undefined;
    const ids = [fields['toolCallId'], call['callId'], call['toolCallId'], call['id'], own].map(text);
    const id = ids.find((each) => each !== undefined);
    if (id !== undefined) return id;
    const request = fields['requestId'];
    if (typeof request === 'string' || typeof request === 'number') return String(request);
  }
  return undefined;
}

/** The value of a call, or the error that stands for its outcome. */
function valueOf({ token }: TurnState, name: string, outcome: ToolOutcome): unknown {
  if (outcome.status === 'failed') throw outcome.error;
  if (outcome.status === 'declined') throw new Declined(outcome.message ?? `${name} was declined`);
  if (outcome.status === 'completed') {
    const { reason } = token;
    // Nothing may follow; what was finished is in the ledger and in the error.
    if (reason !== undefined) throw createCancelledError(reason, { completed: { value: outcome.value } });
    return outcome.value;
  }
  throw createCancelledError(outcome.reason, outcome.status === 'unknown' ? { abandoned: { name } } : {});
}

async function inLedger(turn: TurnState, call: GuardedCall, found: Found | undefined): Promise<unknown> {
  const { name, args, run, options } = call;
  const id = callIdOf(args) ?? `${name}-${String(turn.calls.length + 1)}`;
  const { graceMs, onInterject } = options;
  const outcome = await runTool(
    turn,
    { id, name, args },
    (_call, context) => run(found === undefined ? args : withSignal(args, found, context.signal), context.partial),
    // A framework's own signal for the call may end before the turn's.
    { graceMs, onInterject, token: found?.signal },
  );
  return valueOf(turn, name, outcome);
}

/** A stop is heard, and a deaf tool answered in time; the ledger has the call already, or there is none. */
function withoutLedger(token: Token, { name, args, run, options }: GuardedCall, found?: Found): Promise<unknown> {
  const { graceMs } = options;
  const work = ({ signal }: CancelContext): unknown =>
    run(found === undefined ? args : withSignal(args, found, signal), () => undefined);
  return withCheckpoints(token, () => withCancellation(token, work, { graceMs, name }))();
}

/** Makes the call. One that nothing can stop – no signal, no turn – is simply made. */
export async function callGuarded(call: GuardedCall): Promise<unknown> {
  const own = call.options.turn?.token;
  const found = findSignal(call.args);
  const heard = found === undefined ? undefined : tokenOf(found.signal);
  const token = own === undefined ? heard : tokenOf(own);
  if (token === undefined) return call.run(call.args, () => undefined);
  if (heard !== undefined && placeOf(heard) === 'call') return withoutLedger(heard, call, found);
  const place = placeOf(token);
  return typeof place === 'object' ? inLedger(place, call, found) : withoutLedger(token, call, found);
}
