/**
 * Between an editor's tokens and ours, over a JSON-RPC connection as language clients and servers have it. The server
 * stops its work for the client's token; a request that the server ignores still ends for the client.
 */
import { MessageChannel } from 'node:worker_threads';
import { CancellationTokenSource, delay, isCancellation } from 'desist';
import { fromEditorToken, withEditorToken } from 'desist/vscode';
import {
  type CancellationToken,
  PortMessageReader,
  PortMessageWriter,
  ResponseError,
  createMessageConnection,
} from 'vscode-jsonrpc/node';

const { port1, port2 } = new MessageChannel();
const client = createMessageConnection(new PortMessageReader(port1), new PortMessageWriter(port1));
const server = createMessageConnection(new PortMessageReader(port2), new PortMessageWriter(port2));

let started = (): void => undefined;
const running = (): Promise<void> =>
  new Promise((resolve) => {
    started = resolve;
  });

// In: the peer's token becomes one of ours, for work that takes a token or a signal.
server.onRequest('index', async (_params: unknown, editorToken: CancellationToken) => {
  const stop = fromEditorToken(editorToken, { reason: 'user' });
  started();
  try {
    await delay(stop.token, 60_000);
    return 'indexed';
  } catch (error) {
    if (!isCancellation(error, stop.token)) throw error;
    console.log('server stopped:', stop.token.reason?.kind);
    return new ResponseError(-32_800, 'Request cancelled');
  } finally {
    stop.dispose();
  }
});
server.onRequest('deaf', () => {
  started();
  return new Promise(() => undefined);
});
client.listen();
server.listen();

// Out: a token of ours, in the shape that a connection takes.
for (const method of ['index', 'deaf']) {
  const stop = new CancellationTokenSource();
  const isRunning = running();
  const request = withEditorToken(stop.token, (editorToken) => client.sendRequest(method, {}, editorToken), {
    graceMs: 500,
  });
  const outcome = request.catch((error: unknown) => {
    if (!(error instanceof Error)) throw error;
    const { abandoned } = error as { abandoned?: unknown };
    console.log(`${method}: ${error.name}${abandoned === undefined ? '' : ', and the server did not answer'}`);
  });
  await isRunning;
  stop.cancel('user');
  await outcome;
}

client.dispose();
server.dispose();
port1.close();

// Output:
// server stopped: user
// index: AbortError
// deaf: AbortError, and the server did not answer
