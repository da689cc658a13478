/**
 * From the editor to us: what the editor cancels, a token of ours hears.
 *
 * Invariant: after `dispose()`, and after a cancel, nothing of the bridge is left on the editor's token.
 *
 * Prior art: VS Code's own bridges from its token to `AbortSignal`, one per extension.
 *
 * @module
 */
import {
  type CancellationToken,
  type CancellationTokenSource,
  CancellationTokenSource as Sources,
  type CancelReasonInit,
  type Clock,
  clockOf,
  createReason,
  type OptionNames,
  type OptionsOnly,
  type Releasable,
  requireMs,
  requireOptions,
  show,
  type TokenLike,
  tokenOf,
} from '../../core/inside.ts';
import { homeOf, type EditorDisposable, type EditorEvent, type EditorToken } from './to-editor-token.ts';

/**
 * Options of {@link fromEditorToken}.
 *
 * @since 0.1.0
 */
export interface FromEditorTokenOptions extends OptionsOnly {
  /** Names the scope in reasons and reports. */
  readonly name?: string | undefined;
  /**
   * Why the editor cancels, as far as you know: `user` for a Stop button, `superseded` for a completion that typing
   * outdated. The editor does not say, so it is `unknown` by default.
   */
  readonly reason?: CancelReasonInit | string | undefined;
  /** What else stops it. */
  readonly parent?: TokenLike | null | undefined;
  /** Milliseconds between two looks at a token that has no event, 100 by default. */
  readonly intervalMs?: number | undefined;
  /** Measures that interval and the limits below it; by default the parent's clock. */
  readonly clock?: Clock | undefined;
}

/**
 * A token of ours behind an editor's, as long as it is not disposed.
 *
 * @since 0.1.0
 */
export interface EditorBridge extends EditorDisposable {
  readonly token: CancellationToken;
  /** `token.signal`. */
  readonly signal: AbortSignal;
  /** Lets go of the editor's token. The state stays as it is: disposing is not cancelling. */
  dispose(): void;
  /** The same as `dispose()`, for `using`. */
  [Symbol.dispose](): void;
}

const unnamed: CancelReasonInit = { kind: 'unknown', message: 'Cancelled by the editor' };

const optionNames: OptionNames<FromEditorTokenOptions> = { name: 1, reason: 1, parent: 1, intervalMs: 1, clock: 1 };

class Bridge implements EditorBridge {
  readonly #source: CancellationTokenSource;
  #link: EditorDisposable | undefined;

  constructor(editor: EditorToken, options: FromEditorTokenOptions) {
    requireOptions(options, optionNames, 'write { parent: token }');
    const { name, parent, clock, reason = unnamed } = options;
    const intervalMs = requireMs('intervalMs', options.intervalMs ?? 100, 'finite');
    createReason(reason); // a reason that makes no sense is misuse now, not when the editor cancels
    const home = homeOf(editor);
    const parents = [parent, home].map(tokenOf);
    this.#source = new Sources({ parent: parents, name, clock });
    // One of ours comes home: the token behind it tells the reason too.
    if (home !== undefined) return;
    const cancel = (): void => {
      this.#source.cancel(reason);
      this.#unlink(); // last: what an editor throws there must not keep the cancel
    };
    if (editor.isCancellationRequested) cancel();
    else this.#link = this.#listen(editor, cancel, intervalMs);
    // Cancelled within the call.
    if (this.#source.isCancelled) this.#unlink();
  }

  get token(): CancellationToken {
    return this.#source.token;
  }

  get signal(): AbortSignal {
    return this.#source.signal;
  }

  readonly dispose = (): void => {
    this.#unlink();
    this.#source.release();
  };

  [Symbol.dispose](): void {
    this.dispose();
  }

  #listen(editor: EditorToken, cancel: () => void, intervalMs: number): EditorDisposable {
    const event = eventOf(editor);
    if (event !== undefined) return event(cancel);
    const clock = clockOf(tokenOf(this.#source.token));
    let timer: Releasable;
    const look = (): void => {
      if (editor.isCancellationRequested) cancel();
      else arm();
    };
    const arm = (): void => {
      timer = clock.setTimer(look, intervalMs, { ref: false });
    };
    arm();
    return {
      dispose: () => {
        timer.release();
      },
    };
  }

  #unlink(): void {
    this.#link?.dispose();
    this.#link = undefined;
  }
}

/** The event, unless the token throws for want of one: a cancel through shared memory can only be asked for. */
function eventOf(editor: EditorToken): EditorEvent | undefined {
  try {
    return editor.onCancellationRequested;
  } catch {
    return undefined;
  }
}

function requireEditorToken(value: unknown): asserts value is EditorToken {
  const isToken =
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { isCancellationRequested?: unknown }).isCancellationRequested === 'boolean' &&
    'onCancellationRequested' in value;
  if (!isToken) throw new TypeError(`editorToken must be an editor's CancellationToken, got ${show(value)}`);
}

/**
 * A token for what an editor, a language client or a JSON-RPC peer may cancel: in a command, a chat participant, a
 * provider, a request handler.
 *
 * A token over shared memory has no event: it is looked at every `intervalMs`, which a loop that never yields keeps from
 * happening; ask that token itself there.
 *
 * @checkpoint never: an editor's token that is cancelled gives a token that is
 * @cleanup `dispose()`, or `using`; it is an editor's disposable, so a list of subscriptions takes it. A cancel lets go
 * of the editor's token by itself.
 * @param editorToken The token that the editor handed to your function.
 * @param options A name, a reason, another parent, times in milliseconds.
 * @returns Token and signal, cancelled with the editor's.
 * @throws TypeError, RangeError – not an editor's token, or an option that makes no sense.
 * @example
 * ```ts
 * import { fromEditorToken } from 'desist/vscode'
 *
 * // in an extension: participants, commands and providers are handed theirs
 * const listeners: (() => unknown)[] = []
 * const editorToken = {
 *   isCancellationRequested: false,
 *   onCancellationRequested: (listener: () => unknown) => {
 *     listeners.push(listener)
 *     return { dispose: () => listeners.splice(0) }
 *   },
 * }
 * const stop = fromEditorToken(editorToken, { reason: 'user' })
 * for (const listener of listeners) listener()
 * stop.token.reason?.kind // => 'user'
 * listeners.length // => 0
 * stop.dispose()
 * ```
 * @source VS Code `CancellationToken`
 * @since 0.1.0
 */
export function fromEditorToken(editorToken: EditorToken, options: FromEditorTokenOptions = {}): EditorBridge {
  requireEditorToken(editorToken);
  return new Bridge(editorToken, options);
}
