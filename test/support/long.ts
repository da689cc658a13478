/**
 * How much is played: `npm test` what a change of the product can turn red, `npm run test:all` (and a run by hand) all of it.
 *
 * @module
 */

/** Whether faults are planted, others' packages are played by themselves, and memory is watched over many rounds. */
export const isLong: boolean = process.env['TEST_LONG'] !== 'no';

/** How far apart the parts of a stream are at which something comes. */
export const STEP: number = isLong ? 1 : 3;
