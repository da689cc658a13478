/**
 * The number that says which copies of the package may share nodes.
 * On the token floor at its very bottom.
 *
 * @module
 */

/** Raised on any change of a field that another copy reads: a token of another layout is bridged through its signal. */
export const LAYOUT = 1;
