/**
 * Before `npm pack` and `npm publish`: refuses a `dist` that is not what the sources here would give.
 *
 * @module
 */
import { whyNotPacked } from './built-stamp.ts';
import { root } from './gates/run.ts';

const why = whyNotPacked(root);
if (why !== undefined) {
  console.error(`not packed: ${why}; run \`npm run build\` first`);
  process.exit(1);
}
