/**
 * A listener for the abort of somebody else's signal, which another listener cannot silence where the platform offers that.
 * Prior art: Node's `events.addAbortListener`.
 *
 * @module
 */

type AddAbortListener = (signal: AbortSignal, listener: () => void) => unknown;

interface NodeHost {
  readonly process?: { getBuiltinModule?(id: string): { readonly addAbortListener?: AddAbortListener } | undefined };
}

/** Not looked up when the module is loaded: most programs hang nothing on foreign signals. `null` where there is none. */
let addResistant: AddAbortListener | null | undefined;

function resistant(): AddAbortListener | null {
  // Not an import: the core runs where there is no Node.
  addResistant ??= (globalThis as NodeHost).process?.getBuiltinModule?.('node:events')?.addAbortListener ?? null;
  return addResistant;
}

/**
 * Adds a listener that hears of the abort although a listener before it called `stopImmediatePropagation()`, on Node; on
 * other platforms, and on signals that are not native, it is a listener like any other. It may be removed before it is
 * called, as by `once`. Remove it with `removeAbortListener`.
 */
export function addAbortListener(signal: AbortSignal, listener: () => void): void {
  // Node calls the listener of an aborted signal in a microtask, which removal would not prevent.
  const add = signal.aborted || !(signal instanceof AbortSignal) ? null : resistant();
  if (add === null) signal.addEventListener('abort', listener);
  else add(signal, listener);
}

/** Removes a listener; one that is not there is no error. */
export function removeAbortListener(signal: AbortSignal, listener: () => void): void {
  signal.removeEventListener('abort', listener);
}
