/**
 * The ambient token, where the door `desist/ambient` has been opened: the body of a turn and every tool run with their
 * own token as the current one. Without that door nothing is kept and nothing costs.
 *
 * @module
 */
import type { CancellationToken } from '../../token/cancellation-token.ts';

/** What the door leaves on `globalThis`, shared by all copies of the package. */
interface AmbientStorage {
  run<R>(token: CancellationToken, fn: () => R): R;
  getStore(): CancellationToken | undefined;
}

const storageKey: unique symbol = Symbol.for('desist.ambient') as never;

function storage(): AmbientStorage | undefined {
  return (globalThis as { [storageKey]?: AmbientStorage | undefined })[storageKey];
}

/** Calls a function with the token as the ambient one, if there is an ambient one at all. */
export function runAmbient<R>(token: CancellationToken, fn: () => R): R {
  const ambient = storage();
  return ambient === undefined ? fn() : ambient.run(token, fn);
}

/** The ambient token of this flow of calls. */
export function ambientToken(): CancellationToken | undefined {
  return storage()?.getStore();
}
