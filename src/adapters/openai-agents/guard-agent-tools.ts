/**
 * The tools of an agent under a turn, with an answer to the model where the SDK would fail the whole run.
 *
 * Prior art: the SDK's `errorFunction`, which does this for what a tool throws.
 *
 * @module
 */
import { isCancelledError, isDeclined, isObject, type Turn } from '../../core/inside.ts';
import { signalsIn } from '../../guard/arguments.ts';
import type { GuardOptions } from '../../guard/guarded-call.ts';
import { replaceMethods } from '../../guard/shapes.ts';
import { guardLoop, guardTools, withEarlier } from '../../guard/guard-tools.ts';
import { unguarded } from '../../guard/originals.ts';
import { withOutputGuardrails } from './output-guardrails.ts';

/** What a tool that runs on this machine does its work with, where that is not its own `invoke`. */
interface LocalTool {
  readonly name?: unknown;
  readonly shell?: { readonly run?: unknown } | undefined;
}

/**
 * What the model is told of a call that has no result although the turn goes on; `undefined` for a failure, which is
 * the tool's own to word.
 */
function answerOf(error: unknown): string | undefined {
  if (isDeclined(error)) return error.message;
  if (!isCancelledError(error)) return undefined;
  if (error.abandoned !== undefined) {
    return 'The call did not stop in time and may have taken effect. Check before you repeat it.';
  }
  return error.reason.kind === 'interjection'
    ? 'The call was not finished: a newer message of the user came first.'
    : 'The call was stopped before it finished. Do not repeat it unless asked.';
}

/** What the SDK says of a tool that threw, unless the tool has words of its own for it. */
const threw = 'An error occurred while running the tool.';

/** Stands for it in the ledger; the run, which is stopped, never learns of it. */
class ThrewAfterStop extends Error {}

/** A tool whose calls are answered as long as the turn goes on. */
function answered<T extends object>(tool: T, turn: Turn): T {
  const around = async (invoke: (...args: unknown[]) => unknown, args: readonly unknown[], self: unknown) => {
    try {
      return await Reflect.apply(invoke, self, args);
    } catch (error) {
      if (error instanceof ThrewAfterStop) turn.checkpoint();
      const answer = turn.token.isCancelled ? undefined : answerOf(error);
      if (answer === undefined) throw error;
      return answer;
    }
  };
  return replaceMethods(tool, { invoke: around }) ?? tool;
}

/**
 * A tool that fails where it throws after its call was stopped. The SDK makes it complete with a text that asks to try
 * again, and of a call that completed after the stop the model is told not to repeat it.
 */
function failing<T extends object>(tool: T, turn: Turn): T {
  const around = async (invoke: (...args: unknown[]) => unknown, args: readonly unknown[], self: unknown) => {
    const result = await Reflect.apply(invoke, self, args);
    if (typeof result !== 'string' || !result.startsWith(threw)) return result;
    if (turn.token.isCancelled) throw new ThrewAfterStop(threw);
    // The one call was stopped, and what it threw is hidden.
    const [signal] = signalsIn(args[2]);
    if (signal?.aborted === true) throw signal.reason;
    return result;
  };
  return replaceMethods(tool, { invoke: around }) ?? tool;
}

/** A local shell's commands are calls like any other. */
function withShell(tool: LocalTool, options: GuardOptions): LocalTool {
  const { shell, name } = tool;
  if (typeof shell?.run !== 'function') return tool;
  const label = typeof name === 'string' ? name : 'shell';
  const { dialect } = options;
  const own = { ...options, toResult: dialect && ((words: string) => withOutput({}, words)) };
  return { ...tool, shell: guardLoop({ [label]: shell }, own, { late: withOutput })[label] };
}

/** What a shell gives is a list of outputs: what is told of the call is one more, and stands where a command says what is no result. */
function withOutput(value: unknown, note: string): object {
  const { output } = (isObject(value) ? value : {}) as { readonly output?: unknown };
  const told = { stdout: '', stderr: note, outcome: { type: 'exit', exitCode: null } };
  return { ...(value as object), output: [...(Array.isArray(output) ? (output as readonly unknown[]) : []), told] };
}

/** Function tools, those of MCP servers, and the local shell; what has nothing to run here is passed on as it is. */
export function guardAgentTools(turn: Turn, tools: readonly unknown[], options: GuardOptions): object[] {
  const guarded = (tools as readonly LocalTool[]).flatMap((tool) => {
    const own: GuardOptions = withEarlier({ ...options, turn }, tool);
    return guardTools([failing(withShell(unguarded(tool), own), turn)], own);
  });
  return guarded.map((tool) => withOutputGuardrails(answered(tool, turn)));
}
