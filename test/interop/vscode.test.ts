/** Both ways of the bridge over real JSON-RPC connections, whose tokens are those of language servers too. */
import { MessageChannel } from 'node:worker_threads';
import type { CancellationStrategy, CancellationToken as RpcToken, MessageConnection } from 'vscode-jsonrpc';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { fromEditorToken, toEditorToken, withEditorToken } from '../../src/adapters/vscode/index.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { majors } from './majors.ts';

type JsonRpc = typeof import('vscode-jsonrpc/node');
const loaded = await Promise.all(
  majors.map(async (major) => ({ name: major.name, rpc: await major.load<JsonRpc>('vscode-jsonrpc/node') })),
);

/** The code of `LSPErrorCodes.RequestCancelled`. */
const REQUEST_CANCELLED = -32_800;

describe.each(loaded)('vscode-jsonrpc, $name', ({ rpc }) => {
  function connect(cancellationStrategy?: CancellationStrategy) {
    const { port1, port2 } = new MessageChannel();
    const [client, server] = [port1, port2].map((port) =>
      rpc.createMessageConnection(
        new rpc.PortMessageReader(port),
        new rpc.PortMessageWriter(port),
        undefined,
        cancellationStrategy === undefined ? {} : { cancellationStrategy },
      ),
    ) as [MessageConnection, MessageConnection];
    client.listen();
    server.listen();
    onTestFinished(() => {
      client.dispose();
      server.dispose();
      port1.close();
      port2.close();
    });
    return { client, server };
  }

  let client: MessageConnection;
  let server: MessageConnection;
  let person: CancellationTokenSource;
  beforeEach(() => {
    ({ client, server } = connect());
    person = new CancellationTokenSource({ name: 'turn' });
  });
  afterEach(() => {
    person.release();
  });

  it('a cancel crosses to the handler’s token, and comes back as ours', async () => {
    const started = deferred();
    const heard = deferred<string | undefined>();
    server.onRequest('work', async (_params: unknown, editorToken: RpcToken) => {
      const stop = fromEditorToken(editorToken, { reason: 'user', name: 'work' });
      started.resolve();
      try {
        heard.resolve((await stop.token.whenCancelled()).kind);
        return new rpc.ResponseError(REQUEST_CANCELLED, 'Request cancelled');
      } finally {
        stop.dispose();
      }
    });
    const call = withEditorToken(person.token, (editorToken) => client.sendRequest('work', {}, editorToken));
    const outcome = call.catch((error: unknown) => error);
    await started.promise;
    person.cancel({ kind: 'user', message: 'never mind' });
    expect(await outcome).toBe(person.signal.reason);
    expect(await heard.promise).toBe('user');
  });

  it('a handler that ignores its token keeps a bare caller waiting; here the grace ends it', async () => {
    const started = deferred();
    const reply = deferred<string>();
    server.onRequest('deaf', () => {
      started.resolve();
      return reply.promise;
    });
    const bareToken = toEditorToken(person.token);
    let bareSettled = false;
    const bare = client.sendRequest('deaf', {}, bareToken).finally(() => {
      bareSettled = true;
    });
    const call = withEditorToken(person.token, (editorToken) => client.sendRequest('deaf', {}, editorToken), {
      graceMs: 50,
    });
    const outcome = call.catch((error: unknown) => error);
    await started.promise;
    person.cancel('user');
    expect(await outcome).toMatchObject({
      name: 'AbortError',
      reason: { kind: 'user' },
      abandoned: { name: 'editor request' },
    });
    expect(bareSettled).toBe(false);
    reply.resolve('at last');
    await expect(bare).resolves.toBe('at last');
    bareToken.dispose();
  });

  it('over shared memory, where a token has no event, the bridge looks', async () => {
    const strategy = {
      sender: new rpc.SharedArraySenderStrategy(),
      receiver: new rpc.SharedArrayReceiverStrategy(),
    };
    const shared = connect(strategy);
    const started = deferred();
    shared.server.onRequest('work', async (_params: unknown, editorToken: RpcToken) => {
      expect(() => editorToken.onCancellationRequested).toThrow(/support cancellation events/);
      const stop = fromEditorToken(editorToken, { intervalMs: 5 });
      started.resolve();
      await stop.token.whenCancelled();
      stop.dispose();
      return new rpc.ResponseError(REQUEST_CANCELLED, 'Request cancelled');
    });
    const call = withEditorToken(person.token, (editorToken) => shared.client.sendRequest('work', {}, editorToken));
    const outcome = call.catch((error: unknown) => error);
    await started.promise;
    person.cancel('user');
    expect(await outcome).toBe(person.signal.reason);
  });

  it('S34 a thousand finished requests on one token are never announced as cancelled', async () => {
    server.onRequest('quick', () => 'done');
    for (let i = 0; i < 1000; i++) {
      await withEditorToken(person.token, (editorToken) => client.sendRequest('quick', {}, editorToken));
    }
    const cancelled: unknown[] = [];
    server.onNotification('$/cancelRequest', (params: unknown) => {
      cancelled.push(params);
    });
    person.cancel('user');
    await client.sendRequest('quick');
    expect(cancelled).toEqual([]);
  });

  it('the connection’s own source, disposed without a cancel, never cancels here', () => {
    const source = new rpc.CancellationTokenSource();
    const stop = fromEditorToken(source.token);
    source.dispose();
    expect(stop.token.isCancelled).toBe(false);
    stop.dispose();
    const cancelled = fromEditorToken(rpc.CancellationToken.Cancelled);
    expect(cancelled.token.isCancelled).toBe(true);
    const none = fromEditorToken(rpc.CancellationToken.None);
    expect(none.token.isCancelled).toBe(false);
    none.dispose();
  });

  it('takes our token for one of its own', () => {
    const editorToken = toEditorToken(person.token);
    expect(rpc.CancellationToken.is(editorToken)).toBe(true);
    editorToken.dispose();
  });
});
