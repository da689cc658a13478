/**
 * How often properties are tried: `npm run test:all` as often as they say, `npm test` a share of that (`PROPERTY_SHARE`), and
 * `FC_NUM_RUNS` any number.
 *
 * @module
 */

const { FC_NUM_RUNS: given, PROPERTY_SHARE: share = '1' } = process.env;

/**
 * The number of runs of a property.
 *
 * @param usual How many `npm run test:all` makes.
 */
export function propertyRuns(usual: number): number {
  return given === undefined ? Math.ceil(usual * Number(share)) : Number(given);
}
