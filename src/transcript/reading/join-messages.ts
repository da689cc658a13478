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
  /** What has to stand before a message where nobody else has spoken before it, if anything has. */
  readonly opening: (message: M) => M | undefined;
  /** Adds a message to a list: {@link addJoined}, which the dialect brings along, so that nobody else has it in a bundle. */
  readonly add: typeof addJoined;
}

/** How a dialect has messages beside each other. */
export interface JoinRules<M> {
  /** Absent where the provider takes all messages as they are. */
  readonly joins?: Joins<M> | undefined;
  /** Whether anything of a message goes to the provider: what does not stays where it is. */
  readonly isSent?: ((message: M) => boolean) | undefined;
}

/** Adds messages to a list, and returns it. */
export function addAll<M>({ joins, isSent }: JoinRules<M>, list: M[], messages: readonly M[]): M[] {
  for (const message of messages) {
    if (joins === undefined) list.push(message);
    else joins.add(joins, list, message, isSent);
  }
  return list;
}

/** Adds a message to a list, what it is to be one with to itself, and what has to stand before it. */
export function addJoined<M>(
  { isOne, join, opening }: Joins<M>,
  list: M[],
  message: M,
  isSent: (one: M) => boolean = () => true,
): void {
  let first = list.length;
  let at = isSent(message) ? first - 1 : -2;
  for (; at >= 0; at -= 1) {
    const before = list[at] as M;
    if (!isSent(before)) continue;
    if (!isOne(before, message)) break;
    first = at;
  }
  const run = list.splice(first);
  const start = at === -1 ? opening(message) : undefined;
  if (start !== undefined) list.push(start);
  list.push(run.length === 0 ? message : join([...run.filter(isSent), message]));
  // One by one: the arguments of a call are limited by the stack.
  for (const one of run) if (!isSent(one)) list.push(one);
}
