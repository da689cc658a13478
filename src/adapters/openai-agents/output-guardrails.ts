/**
 * What the output guardrails of a tool let the model see of a result. The SDK asks them when a call has ended, and a run
 * that was stopped may not come to that: the row of the call then says that the result is not for the model.
 *
 * @module
 */
import { isObject, notShown, shownAs } from '../../core/inside.ts';
import { madeOf } from '../../guard/originals.ts';
import { plainCopy, replaceMethods, type Method } from '../../guard/shapes.ts';

interface GuardedTool {
  readonly invoke?: unknown;
  readonly outputGuardrails?: unknown;
}

/** What the guardrails said of one call: how many let the result pass, and what is told in its place. */
interface Verdict {
  passed: number;
  message?: unknown;
}

/** The tool; where it has output guardrails, the rows of its calls show what these let pass, and words until then. */
export function withOutputGuardrails<T extends object>(tool: T): T {
  const { invoke, outputGuardrails: given } = tool as GuardedTool;
  if (typeof invoke !== 'function' || !Array.isArray(given) || given.length === 0) return tool;
  const verdicts = new Map<unknown, Verdict>();
  const guardrails = (given as readonly object[]).map(
    (guardrail) =>
      replaceMethods(guardrail, {
        run: async (run, args, self) => {
          const output: unknown = await Reflect.apply(run, self, args);
          note(verdicts.get(callIdOf(args[0])), output);
          return output;
        },
      }) ?? guardrail,
  );
  const own: Method = (context, input, details, ...rest) => {
    const verdict: Verdict = { passed: 0 };
    verdicts.set(callIdOf(details), verdict);
    const shown = shownAs((value, isWhole) => {
      if (!isWhole) return undefined;
      return verdict.passed === guardrails.length ? value : (verdict.message ?? notShown);
    });
    const carrying = Object.defineProperties(plainCopy(isObject(details) ? details : {}, new Map()), shown);
    return Reflect.apply(invoke, tool, [context, input, carrying, ...rest]);
  };
  const fields = new Map<PropertyKey, unknown>([
    ['invoke', own],
    ['outputGuardrails', guardrails],
  ]);
  return madeOf(plainCopy(tool, fields), tool);
}

/** A guardrail without a verdict allows. */
function note(verdict: Verdict | undefined, output: unknown): void {
  if (verdict === undefined) return;
  const { behavior } = (isObject(output) ? output : {}) as { readonly behavior?: object };
  const { type = 'allow', message } = (behavior ?? {}) as { readonly type?: unknown; readonly message?: unknown };
  if (type === 'allow') verdict.passed += 1;
  else verdict.message = message;
}

/** What both the details of a call and what a guardrail is given have. */
function callIdOf(given: unknown): unknown {
  const { toolCall } = (isObject(given) ? given : {}) as { readonly toolCall?: { readonly callId?: unknown } };
  return toolCall?.callId;
}
