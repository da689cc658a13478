/**
 * The number that says which copies of the package may share nodes.
 *
 * @module
 */

/** Raised on any change of a field that another copy reads: a token of another layout is bridged through its signal. */
export const LAYOUT = 5;
