/**
 * What Node has made of the sources of programs before, for those that have an environment of their own: half of what each computes as it
 * starts is to take their types away.
 *
 * @module
 */

const folder = process.env['NODE_COMPILE_CACHE'];

/** A part of such an environment; empty where nobody keeps what was compiled. */
export const compiled: Readonly<Record<string, string>> = folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
