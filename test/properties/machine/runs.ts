/**
 * How many programs always run, and from which seed.
 *
 * @module
 */

/** The same programs each time, so that what a fault is found by stays found; `FC_SEED` chooses others. */
export const SEED = Number(process.env['FC_SEED'] ?? '1');

export const RUNS = 2_000;
