/**
 * The least that settling a legal transcript could cost: every message is looked at, what it says is noted, and a new list
 * holds it. Three small objects a message: what stands where, what it becomes, and the place of both.
 *
 * @module
 */

/** A message and its place. */
interface LeastEntry {
  readonly message: object;
  readonly at: number;
}

/** A message that stays. */
interface LeastSettled {
  readonly message: object;
  readonly from: number;
}

/** The same messages, read once and written once. */
export function leastSettle(messages: readonly object[]): object[] {
  const entries = messages.map((message, at): LeastEntry => {
    const { role } = message as { readonly role?: unknown };
    return { message, at: typeof role === 'string' ? at : -1 };
  });
  const settled = entries.map(({ message, at }): LeastSettled => ({ message, from: at }));
  return settled.map(({ message }) => message);
}
