/**
 * How deep calls and turns are started inside each other with nothing awaited in between. Where the stack runs out in the
 * middle of our own bookkeeping nothing can be put right any more: so an endless descent is refused while there is room.
 *
 * @module
 */

/** A quarter of what the stack of Node holds by default. */
const MOST_NESTED = 100;

let nested = 0;

/**
 * Calls `work`, which starts something for somebody.
 *
 * @throws RangeError – too many are on the stack already.
 */
export function runNested<H, T>(work: (host: H) => T, host: H): T {
  if (nested >= MOST_NESTED) {
    const what = `${String(MOST_NESTED)} calls and turns were started inside each other, and none awaited anything before`;
    throw new RangeError(`${what}: an agent or a tool that starts itself?`);
  }
  nested++;
  try {
    return work(host);
  } finally {
    nested--;
  }
}
