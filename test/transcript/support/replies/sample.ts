/**
 * A reply as a client returns it.
 *
 * @module
 */

/**
 * What it holds, the reply, and how many calls of it may run. Marks in it, such as `said<1>`, have to stay; those that begin
 * with `gone` have to go.
 */
export type Sample = readonly [what: string, reply: unknown, calls?: number];
