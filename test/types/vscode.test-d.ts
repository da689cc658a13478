/**
 * What the compiler says of `desist/vscode`, with the types of the editor, of JSON-RPC and of language servers.
 */
import { expectTypeOf, it } from 'vitest';
import type * as vscode from 'vscode';
import type * as rpc from 'vscode-jsonrpc';
import type * as lsp from 'vscode-languageserver-protocol';

import {
  fromEditorToken,
  toEditorToken,
  withEditorToken,
  type EditorBridge,
  type EditorToken,
  type EditorTokenHandle,
} from '../../src/adapters/vscode/index.ts';
import type { CancelContext, CancellationToken, TokenLike } from '../../src/index.ts';

declare const maybe: TokenLike | null | undefined;
declare const model: vscode.LanguageModelChat;
declare const connection: rpc.MessageConnection;

it('every editor’s token comes in', () => {
  expectTypeOf<vscode.CancellationToken>().toExtend<EditorToken>();
  expectTypeOf<rpc.CancellationToken>().toExtend<EditorToken>();
  expectTypeOf<lsp.CancellationToken>().toExtend<EditorToken>();
  expectTypeOf(fromEditorToken).parameter(0).toEqualTypeOf<EditorToken>();
  expectTypeOf(fromEditorToken).returns.toEqualTypeOf<EditorBridge>();
  expectTypeOf<EditorBridge['token']>().toEqualTypeOf<CancellationToken>();
});

it('ours goes out to every editor', () => {
  expectTypeOf(toEditorToken(maybe)).toEqualTypeOf<EditorTokenHandle>();
  expectTypeOf<EditorTokenHandle>().toExtend<vscode.CancellationToken>();
  expectTypeOf<EditorTokenHandle>().toExtend<rpc.CancellationToken>();
  expectTypeOf<EditorTokenHandle>().toExtend<lsp.CancellationToken>();
});

it('what is to be let go of is an editor’s disposable', () => {
  expectTypeOf<EditorBridge>().toExtend<rpc.Disposable>();
  expectTypeOf<EditorBridge>().toExtend<vscode.ExtensionContext['subscriptions'][number]>();
  expectTypeOf<EditorTokenHandle>().toExtend<vscode.ExtensionContext['subscriptions'][number]>();
});

it('a request under a token is typed by what it returns', () => {
  const reply = withEditorToken(maybe, async (editorToken, context) => {
    expectTypeOf(context).toEqualTypeOf<CancelContext>();
    const response = await model.sendRequest([], {}, editorToken);
    let text = '';
    for await (const piece of response.text) text += piece;
    return text;
  });
  expectTypeOf(reply).toEqualTypeOf<Promise<string>>();
  void withEditorToken(maybe, (editorToken) => connection.sendRequest<number>('count', {}, editorToken), {
    graceMs: undefined,
    onLateSettle: (outcome) => {
      if (outcome.status === 'completed') expectTypeOf(outcome.value).toEqualTypeOf<number>();
    },
  });
});

it('nonsense is refused', () => {
  // @ts-expect-error a signal is no editor's token
  fromEditorToken(new AbortController().signal);
  // @ts-expect-error no such kind
  fromEditorToken(toEditorToken(maybe), { reason: { kind: 'boredom' } });
  // @ts-expect-error an editor's token is no token of ours
  toEditorToken(toEditorToken(maybe));
});
