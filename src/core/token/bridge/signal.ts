/**
 * The bridge to `AbortSignal`, both ways: a native signal for a token, a node for somebody else's signal.
 *
 * A signal is made only when asked for, one per token. A foreign signal has one node per copy of the package, and that
 * node one native listener, only while somebody listens below it.
 *
 * Prior art: WHATWG DOM `AbortSignal`; the dependent signals of `AbortSignal.any`, whose order this keeps.
 *
 * @module
 */
import { isObject } from '../../foundation/check.ts';
import type { CancelReason } from '../../foundation/reason.ts';
import { addAbortListener, removeAbortListener } from '../tree/abort-listener.ts';
import { listenWith } from '../tree/listeners.ts';
import { FOREIGN, type Node, extraOf, rareOf } from '../tree/node.ts';
import { tell } from '../tree/propagation.ts';
import { errorOf, hint, isCancelled, markForeign } from '../tree/state.ts';

/** Names, on a signal of ours, the node it belongs to, so that it finds its way home. */
const ownerKey: unique symbol = Symbol.for('desist.signal.owner') as never;

interface OwnedSignal extends AbortSignal {
  [ownerKey]?: Node;
}

/** Whether a value is an `AbortSignal`, of this realm or another. */
export function isAbortSignal(value: unknown): value is AbortSignal {
  return (
    isObject(value) &&
    typeof (value as { aborted?: unknown }).aborted === 'boolean' &&
    typeof (value as { addEventListener?: unknown }).addEventListener === 'function' &&
    typeof (value as { removeEventListener?: unknown }).removeEventListener === 'function'
  );
}

/** The node whose own signal this is, if we made it. */
export function nodeOf(signal: AbortSignal): Node | undefined {
  return (signal as OwnedSignal)[ownerKey];
}

function abortNative(_reason: CancelReason, node: Node): void {
  node.extra?.controller?.abort(errorOf(node));
}

/** The signal that was made before, unless this host lets only the request use it that made it (workerd). */
function usableSignal({ signal }: AbortController): AbortSignal | undefined {
  try {
    return typeof signal.aborted === 'boolean' ? signal : undefined;
  } catch {
    return undefined;
  }
}

/** The native signal of a node, made now if nobody asked before. */
export function signalOf(node: Node): AbortSignal {
  const made = node.extra?.controller;
  const usable = made === undefined ? undefined : usableSignal(made);
  if (usable !== undefined) return usable;
  const foreign = node.extra?.rare?.signal;
  if (foreign !== undefined) return foreign;
  const controller = new AbortController();
  (controller.signal as OwnedSignal)[ownerKey] = node;
  extraOf(node).controller = controller;
  // Its place in the order of events is that of a listener registered now. One that replaces another has that one's.
  if (made === undefined) listenWith(node, abortNative, node);
  else if (isCancelled(node)) controller.abort(errorOf(node));
  return controller.signal;
}

/** Turns a node without parents into the stand-in of a foreign signal. */
export function adoptForeign(node: Node, signal: AbortSignal): void {
  const rare = rareOf(node);
  rare.signal = signal;
  rare.onAbort = () => {
    const onAbort = rare.onAbort as () => void;
    removeAbortListener(signal, onAbort);
    if (!signal.aborted) {
      // Anybody can dispatch an event of that name, and the platform may have removed the listener for it.
      addAbortListener(signal, onAbort);
      return;
    }
    markForeign(node);
    tell(node, false);
  };
  node.flags |= FOREIGN;
  hint(node, [node]);
  markForeign(node);
}
