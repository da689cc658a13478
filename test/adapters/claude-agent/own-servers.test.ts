import { expect, it } from 'vitest';

import { callIdOf, ownServers } from '../../../src/adapters/claude-agent/own-servers.ts';

const request = (id: number, toolUseId?: string, method = 'tools/call') => ({
  ...{ jsonrpc: '2.0', id, method },
  params: { name: 'pay', _meta: { 'claudecode/toolUseId': toolUseId } },
});

type OnMessage = (message: unknown) => void;

/** A transport with a private field, as a class may have. */
class Transport {
  readonly #sent: object[];
  onmessage: OnMessage | undefined;

  constructor(sent: object[]) {
    this.#sent = sent;
  }

  send(message: object): Promise<void> {
    this.#sent.push(message);
    return Promise.resolve();
  }
}

/** A server of this process that is connected, and what it heard. */
function stage(arrive: (callId: string) => Promise<string | undefined>) {
  const heard: unknown[] = [];
  const sent: object[] = [];
  const transport = new Transport(sent);
  const instance = {
    connect(own: Transport) {
      own.onmessage = (message) => void heard.push(message);
      void own.send({ hello: true });
    },
  };
  const servers = ownServers({ mcpServers: { 'my shop': { type: 'sdk', instance } } }, arrive);
  const { mcpServers } = servers.option as { mcpServers: Record<string, { instance: typeof instance }> };
  mcpServers['my shop']?.instance.connect(transport);
  return { heard, sent, servers, say: (message: unknown) => transport.onmessage?.(message) };
}

const settled = () => new Promise(setImmediate);

it('the servers of this process are told apart by the names of their tools', () => {
  const { servers } = stage(() => Promise.resolve(undefined));
  expect(['mcp__my_shop__pay', 'mcp__files__read', 'Bash'].map(servers.has)).toEqual([true, false, false]);
});

it('a server elsewhere, and whatever makes no sense, stays as it is', () => {
  const mcpServers = { files: { command: 'files' }, odd: { type: 'sdk', instance: undefined }, none: undefined };
  expect(ownServers({ mcpServers }, () => Promise.resolve(undefined)).option).toEqual({ mcpServers });
  expect(ownServers({}, () => Promise.resolve(undefined)).option).toEqual({});
});

it('a server gets a request once its call has arrived, and what follows behind it', async () => {
  let letIn: (said: undefined) => void = () => undefined;
  const arrived: string[] = [];
  const { heard, say, sent } = stage((callId) => {
    arrived.push(callId);
    return new Promise((resolve) => (letIn = resolve));
  });
  const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  say(request(1, 'call_1'));
  say(cancel);
  await settled();
  expect(heard).toEqual([]);
  letIn(undefined);
  await settled();
  expect(heard).toEqual([request(1, 'call_1'), cancel]);
  say(cancel);
  expect(heard).toHaveLength(3);
  expect({ arrived, sent }).toEqual({ arrived: ['call_1'], sent: [{ hello: true }] });
});

it('a call that must not begin is answered in the place of its server', async () => {
  const { heard, say, sent } = stage(() => Promise.resolve('It was not started.'));
  say(request(7, 'call_7'));
  await settled();
  expect(heard).toEqual([]);
  const content = [{ type: 'text', text: 'It was not started.' }];
  expect(sent.slice(1)).toEqual([{ jsonrpc: '2.0', id: 7, result: { content, isError: true } }]);
});

it('what is no call, or a call without a name, passes at once', () => {
  const { heard, say } = stage(() => Promise.reject(new Error('nobody asks')));
  const messages = [request(1, undefined), request(2, 'call_2', 'tools/list'), undefined];
  for (const message of messages) say(message);
  expect(heard).toEqual(messages);
});

it('the name of a call is read from whatever came', () => {
  expect(callIdOf({ _meta: { 'claudecode/toolUseId': 'call_1' } })).toBe('call_1');
  expect([callIdOf(undefined), callIdOf({}), callIdOf({ _meta: { 'claudecode/toolUseId': 1 } })]).toEqual([
    ...[undefined, undefined, undefined],
  ]);
});
