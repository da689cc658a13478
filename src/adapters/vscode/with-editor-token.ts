/**
 * One request that takes an editor's token, under a token of ours: a stop ends it here, whatever the other side does.
 * Prior art: `cancellableRequest` of `desist/mcp`, which has the same task.
 *
 * @module
 */
import {
  type CancelContext,
  requireFunction,
  requireOptions,
  type TokenLike,
  withCancellation,
  type WithCancellationOptions,
  workOptions,
} from '../../core/inside.ts';
import { toEditorToken, type EditorToken } from './to-editor-token.ts';

/**
 * Sends one request – `connection.sendRequest`, `model.sendRequest`, `executeCommand`, any call that takes an editor's
 * token – under a token.
 *
 * A JSON-RPC connection answers a cancel when the peer does, and a peer that ignores it keeps the caller waiting. Here
 * the call rejects with the token's own error within its grace, and the late answer is dropped. Read a streamed answer
 * inside `send`: the editor's token is let go with it.
 *
 * @checkpoint always, before; `send` is not called if the token is cancelled
 * @fairness A reply that has arrived beats a cancel of the same tick. A failure that raced the cancel stays that
 * failure.
 * @cleanup The editor's token is disposed when `send` has settled, late or not.
 * @param token Whose stop.
 * @param send Gets an editor's token for this call, and the call's context.
 * @param options Grace and limits in milliseconds, a name, as for `withCancellation`.
 * @returns What the request returned.
 * @throws CancelledError – as a rejection: the token was cancelled. DeadlineExceededError – as a rejection: a limit of
 * this call passed. TypeError, RangeError – as a rejection: arguments that make no sense.
 * @example
 * ```ts
 * import { CancellationTokenSource } from 'desist'
 * import { withEditorToken, type EditorToken } from 'desist/vscode'
 *
 * const stop = new CancellationTokenSource()
 * // with a connection: (editorToken) => connection.sendRequest('index', params, editorToken)
 * const send = async (editorToken: EditorToken) => editorToken.isCancellationRequested
 * await withEditorToken(stop.token, send, { graceMs: 200 }) // => false
 * ```
 * @source JSON-RPC `$/cancelRequest` of the language server protocol
 * @since 0.1.0
 */
export async function withEditorToken<T>(
  token: TokenLike | null | undefined,
  send: (editorToken: EditorToken, context: CancelContext) => T | PromiseLike<T>,
  options: WithCancellationOptions<T> = {},
): Promise<T> {
  requireFunction('send', send);
  requireOptions(options, workOptions);
  const { name = 'editor request' } = options;
  return await withCancellation(
    token,
    async (context) => {
      const editorToken = toEditorToken(context.token);
      try {
        return await send(editorToken, context);
      } finally {
        editorToken.dispose();
      }
    },
    { ...options, name },
  );
}
