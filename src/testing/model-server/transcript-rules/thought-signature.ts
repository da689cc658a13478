/**
 * The signature of a thought: it says whether the thought is still what was signed.
 *
 * @module
 */

/** What a thought is signed with; `place` tells one thought from another. */
export function signThought(place: string, thinking: string): string {
  return `signature-${place}-${digest(thinking)}`;
}

/** Whether a signature is one of `signThought`, and of another text. Of anybody else's nothing is known. */
export function isForged(signature: string, thinking: unknown): boolean {
  const own = /^signature-[\d_]+-([0-9a-z]+)$/.exec(signature)?.[1];
  return own !== undefined && own !== digest(String(thinking));
}

/** FNV-1a: what is told apart here is a text that was changed, and not one that was made to look alike. */
function digest(text: string): string {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}
