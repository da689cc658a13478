import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cancellableRequest, fromExtra } from '../../src/adapters/mcp/index.ts';
import type { CancellationToken } from '../../src/core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { serverSdk } from './support/mcp-servers.ts';
import { rigs, type Rig } from './support/mcp-rigs.ts';
import type { Journal } from './support/mcp-tools.ts';
import { itBare } from '../support/bare.ts';

describe.each(rigs)('S25 the server’s side, $name', ({ sdk, handlerHears, asks, open, name }) => {
  let rig: Rig;
  beforeEach(async () => {
    rig = await open();
  });
  afterEach(() => rig[Symbol.asyncDispose]());

  async function until(seen: (journal: Journal) => boolean): Promise<void> {
    await expect.poll(async () => seen(await rig.journal()), { interval: 2 }).toBe(true);
  }

  const isCall = (tool: string) => (journal: Journal) =>
    journal.received.some(({ method, params }) => method === 'tools/call' && params?.name === tool);

  /** Cancels a call once `ready`, and waits for its rejection. */
  async function cancelWhen(tool: string, ready: () => Promise<void>): Promise<void> {
    const person = new CancellationTokenSource();
    const call = expect(
      cancellableRequest(person.token, (options) => rig.call(tool, {}, options)),
    ).rejects.toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
    await ready();
    person.cancel('user');
    await call;
  }

  it(
    handlerHears ? 'the handler’s token is cancelled, and nothing is answered' : 'a stateless handler never hears',
    async () => {
      await cancelWhen('polite', () => until(isCall('polite')));
      if (!handlerHears) {
        await until(({ received }) => received.some(({ method }) => method === 'notifications/cancelled'));
        await new Promise((resolve) => setTimeout(resolve, 50));
        expect((await rig.journal()).stopped).toEqual([]);
        return;
      }
      await until(({ stopped }) => stopped.includes('polite: unknown'));
      await rig.call('quick');
      const { received, sent } = await rig.journal();
      const id = received.find(({ params }) => params?.name === 'polite')?.id;
      expect(id).toBeDefined();
      expect(sent.filter((message) => message.id === id && message.method === undefined)).toEqual([]);
    },
  );

  if (!asks) return;

  it('a nested question ends with its parent', async () => {
    const questions = ['elicit', 'sample', 'elicit'];
    for (const [before, question] of questions.entries()) {
      await cancelWhen(question, () => expect.poll(() => rig.questions.asked).toBe(before + 1));
      // Version 1 takes the id 0 for no id: its first question can be cancelled by nobody.
      await expect.poll(() => rig.questions.dropped).toBe(before + (sdk === 1 ? 0 : 1));
    }
    const { sent } = await rig.journal();
    const cancelled = sent.filter(({ method }) => method === 'notifications/cancelled');
    expect(cancelled.map(({ params }) => params?.requestId)).toEqual([0, 1, 2]);
    expect(new Set(cancelled.map(({ params }) => params?.reason))).toEqual(new Set(['Request cancelled']));
  });

  itBare(`bare, ${name} leaves nested questions open`, async () => {
    for (const asked of [1, 2])
      await cancelWhen('bare-sample', () => expect.poll(() => rig.questions.asked).toBe(asked));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(rig.questions.dropped).toBe(0);
  });
});

describe('the end of the session', () => {
  interface Running {
    readonly cancelling: CancellationToken;
    readonly keeping: CancellationToken;
  }

  /** What a tool holds after its session has ended. */
  async function afterEnd(
    connect: (work: (running: Running) => Promise<never>) => Promise<Transport>,
  ): Promise<Running> {
    let started = (_running: Running): void => undefined;
    const running = new Promise<Running>((resolve) => {
      started = resolve;
    });
    const near = await connect((tokens) => {
      started(tokens);
      return new Promise<never>(() => undefined);
    });
    const client = new Client({ name: 'test', version: '1.0.0' });
    await client.connect(near);
    const call = expect(client.callTool({ name: 'work' })).rejects.toThrow('Connection closed');
    const tokens = await running;
    await client.close();
    await call;
    return tokens;
  }

  const version1 = () =>
    afterEnd(async (work) => {
      const mcp = new McpServer({ name: 'test', version: '1.0.0' });
      const { server } = mcp;
      mcp.registerTool('work', {}, (extra) =>
        work({
          cancelling: fromExtra(extra, { server }).token,
          keeping: fromExtra(extra, { server, onClose: 'keep' }).token,
        }),
      );
      const [near, far] = InMemoryTransport.createLinkedPair();
      await mcp.connect(far);
      return near;
    });

  const version2 = () =>
    afterEnd(async (work) => {
      const mcp = new serverSdk.McpServer({ name: 'test', version: '2.0.0' });
      mcp.registerTool('work', {}, (context) =>
        work({ cancelling: fromExtra(context).token, keeping: fromExtra(context, { onClose: 'keep' }).token }),
      );
      const [near, far] = serverSdk.InMemoryTransport.createLinkedPair();
      await mcp.connect(far);
      return near;
    });

  it.each([
    ['version 1', version1],
    ['version 2', version2],
  ])('%s: cancels with kind disconnect, or nothing, by option', async (_name, endSession) => {
    const { cancelling, keeping } = await endSession();
    await expect.poll(() => cancelling.reason?.kind).toBe('disconnect');
    expect(keeping.isCancelled).toBe(false);
  });
});
