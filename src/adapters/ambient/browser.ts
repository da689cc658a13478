/**
 * What `desist/ambient` is in a bundle for browsers, which have no `AsyncLocalStorage`: it can be bundled, and says what is
 * missing when it is called. A token that is silently nobody's would be a stop that silently reaches nobody.
 *
 * @module
 */
import type * as ambient from './index.ts';

function missing(): never {
  throw new Error(
    'desist/ambient needs AsyncLocalStorage of node:async_hooks, which is not there: pass the token by hand',
  );
}

export const runWithToken: typeof ambient.runWithToken = missing;
export const currentToken: typeof ambient.currentToken = missing;
export const bind: typeof ambient.bind = missing;
