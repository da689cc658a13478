/**
 * Tools that leave their loop until a person has answered: LangGraph's throw, and Mastra's call `suspend` of what they are given. Such a call has neither
 * failed nor completed; it is made again when the loop is resumed.
 *
 * @module
 */
import { isObject } from '../core/foundation/check.ts';
import { fieldsOf } from '../core/interrupt/calls/call-identity.ts';
import { isPlain, withField } from './shapes.ts';

type Args = readonly unknown[];

/** Whether one call has left its loop. */
export class Pauses {
  #isSuspended = false;

  /** The arguments, where what suspends the loop is heard of as well. */
  heardIn(args: Args): Args {
    return args.map((arg) => this.#heardIn(arg));
  }

  /** Mastra hands `suspend` over in a context, and since version 1 in its part about the agent. */
  #heardIn(arg: unknown): unknown {
    // Something of a class that can be suspended is no loop.
    if (!isObject(arg) || !isPlain(arg)) return arg;
    const { suspend, agent } = fieldsOf(arg);
    if (typeof suspend === 'function') {
      return withField(arg, 'suspend', (...given: Args): unknown => {
        this.#isSuspended = true;
        return Reflect.apply(suspend, arg, given) as unknown;
      });
    }
    return typeof fieldsOf(agent)['suspend'] === 'function' ? withField(arg, 'agent', this.#heardIn(agent)) : arg;
  }

  /** Whether what the tool returned is none: the loop was left before it. */
  get isSuspended(): boolean {
    return this.#isSuspended;
  }

  /** Whether an error is none: LangGraph marks what `interrupt()` throws. */
  isError(error: unknown): boolean {
    return this.#isSuspended || fieldsOf(error)['is_bubble_up'] === true;
  }
}
