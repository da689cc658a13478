/**
 * Puts messages one behind the other, where a provider wants some of them as one.
 *
 * @module
 */

/** What a provider wants as one message. */
export interface Joins<M> {
  /** Whether a message is to be one with another that stands before it. */
  readonly isOne: (before: M, message: M) => boolean;
  /** Some messages, the last of which is to be one with each before it. */
  readonly join: (run: readonly M[]) => M;
}

/** How a dialect has messages beside each other. */
export interface JoinRules<M> {
  /** Absent where the provider takes all messages as they are. */
  readonly joins?: Joins<M> | undefined;
  /** Whether anything of a message goes to the provider: what does not stays where it is. */
  readonly isSent?: ((message: M) => boolean) | undefined;
}

/** Adds messages to a list, and returns it. */
export function addAll<M>({ joins, isSent = () => true }: JoinRules<M>, list: M[], messages: readonly M[]): M[] {
  for (const message of messages) {
    const first = joins !== undefined && isSent(message) ? firstOf(joins, message) : list.length;
    if (first === list.length) list.push(message);
    else {
      const run = list.splice(first);
      list.push((joins as Joins<M>).join([...run.filter(isSent), message]));
      // One by one: the arguments of a call are limited by the stack.
      for (const one of run) if (!isSent(one)) list.push(one);
    }
  }
  return list;

  /** The index of the first message that this one is to be one with. */
  function firstOf({ isOne }: Joins<M>, message: M): number {
    let first = list.length;
    for (let at = first - 1; at >= 0; at -= 1) {
      const before = list[at] as M;
      if (!isSent(before)) continue;
      if (!isOne(before, message)) break;
      first = at;
    }
    return first;
  }
}
