/**
 * The words for a result of the provider's side that nobody has.
 *
 * @module
 */

/** For the model: what of the provider's side was lost with its reply. */
export function lostNote(names: readonly string[]): string {
  const what = names.join(', ');
  return `[Your reply was cut while the provider ran: ${what}. It may have run to its end; its result is lost.]`;
}
