/**
 * Tools that leave their loop until a person has answered: LangGraph's throw, and Mastra's call `suspend` of what they are
 * given. Such a call has neither failed nor completed; it is made again when the loop is resumed.
 *
 * @module
 */
import { fieldsOf } from '../core/interrupt/calls/call-identity.ts';
import { changed, type Answers } from './shapes.ts';

type Args = readonly unknown[];

const none: Answers = new Map();

/** Whether one call has left its loop. */
export class Pauses {
  #isSuspended = false;

  /**
   * The arguments, where what suspends the loop is heard of as well: Mastra hands it over in a context, and since version 1 in the
   * part of it that is about the agent.
   */
  heardIn(args: Args): Args {
    return changed(args, (each) => this.#waysOut(each));
  }

  #waysOut(each: object): Answers {
    const { suspend } = fieldsOf(each);
    // What cannot be resumed is no loop: a tool may be given other things that it can suspend.
    if (typeof suspend !== 'function' || !('resumeData' in each)) return none;
    const heard = (...given: Args): unknown => {
      this.#isSuspended = true;
      return Reflect.apply(suspend, each, given) as unknown;
    };
    return new Map([['suspend', heard]]);
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
