import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acpClient, type AcpClient } from '../../src/adapters/acp/index.ts';
import type { AcpAgentStop } from '../../src/adapters/acp/agent-process.ts';
import type { AcpPermissionContext } from '../../src/adapters/acp/acp-client.ts';
import type { TokenLike } from '../../src/core/token/cancellation-token.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { majors } from './majors.ts';
import { isAlive } from './support/alive.ts';
import { limitMs } from '../support/limit.ts';
import { describeBare } from '../support/bare.ts';

type Sdk = typeof import('@agentclientprotocol/sdk');

const loaded = await Promise.all(
  majors.map(async (major) => ({ name: major.name, sdk: await major.load<Sdk>('@agentclientprotocol/sdk') })),
);
const agentFile = fileURLToPath(new URL('support/acp-agent.ts', import.meta.url));

describe.each(loaded)('S26 $name', ({ name, sdk }) => {
  let child: ChildProcess;
  let connection: ReturnType<ReturnType<Sdk['client']>['connect']>;
  let client: AcpClient;
  let sessionId: string;
  /** What came from the agent, in order: the words of its updates, and its answer. */
  let heard: string[];
  let errors: string;
  let cancelledCalls: string[][];
  let stops: AcpAgentStop[];
  /** How the person answers; by default never. */
  let person: (context: AcpPermissionContext) => Promise<{ outcome: { outcome: 'cancelled' } }>;
  let withdrawn: number;

  beforeEach(async () => {
    [heard, cancelledCalls, stops, errors, withdrawn] = [[], [], [], '', 0];
    child = spawn(process.execPath, [agentFile, name], { stdio: ['pipe', 'pipe', 'pipe'] });
    child.stderr?.on('data', (chunk: Buffer) => (errors += chunk.toString()));
    client = acpClient({
      agentProcess: child,
      graceMs: 800,
      onToolCallsCancelled: (_session, ids) => cancelledCalls.push([...ids]),
      onAgentStopped: (stop) => stops.push(stop),
    });
    person = (context) =>
      client.permission(context, (token) => {
        token.onCancelled(() => (withdrawn += 1));
        return new Promise<never>(() => undefined);
      });
    const app = sdk
      .client({ name: 'test-client' })
      .onNotification('session/update', ({ params }) => {
        client.observe(params);
        const { update } = params;
        const isText = update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text';
        heard.push(isText ? (update.content as { text: string }).text : update.sessionUpdate);
      })
      .onRequest('session/request_permission', (context) => {
        heard.push('permission asked');
        return person(context);
      });
    if (child.stdin === null || child.stdout === null) throw new Error('the agent has no pipes');
    const output = Writable.toWeb(child.stdin) as WritableStream<Uint8Array>;
    const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
    connection = app.connect(sdk.ndJsonStream(output, input));
    await connection.agent.request('initialize', { protocolVersion: sdk.PROTOCOL_VERSION, clientCapabilities: {} });
    ({ sessionId } = await connection.agent.request('session/new', { cwd: '/', mcpServers: [] }));
  });

  afterEach(async () => {
    connection.close();
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  const params = (text: string) => ({ sessionId, prompt: [{ type: 'text' as const, text }] });

  async function prompt(token: TokenLike | null, text: string) {
    const result = await client.prompt(token, { agent: connection.agent, params: params(text) });
    heard.push(`answer: ${result.stopReason}`);
    return result;
  }

  /** Sends a prompt, and cancels it as soon as the agent has said a word. */
  async function cancelAfter(word: string, text: string) {
    const source = new CancellationTokenSource();
    const answer = prompt(source.token, text);
    await expect.poll(() => heard, { interval: 2 }).toContain(word);
    const cancelledAt = performance.now();
    source.cancel({ kind: 'user', message: 'the secret plan changed' });
    const result = await answer;
    return { result, ms: performance.now() - cancelledAt };
  }

  describeBare('the bare SDK', () => {
    it('does not tell the handler of session/cancel', async () => {
      const { result } = await cancelAfter('ready', 'bare wait');
      expect(result.stopReason).toBe('end_turn');
      expect(heard).toContain('signal aborted: false');
    });

    it('sends a prompt that is aborted already, and the agent finishes it', async () => {
      const aborted = { cancellationSignal: AbortSignal.abort() };
      const answer = connection.agent.request('session/prompt', params('bare finish'), aborted);
      expect(await answer).toMatchObject({ stopReason: 'end_turn' });
    });

    it('waits for ever for a person who has been told to stop', async () => {
      person = () => new Promise<never>(() => undefined);
      let isSettled = false;
      const answer = connection.agent.request('session/prompt', params('bare permission'));
      void answer.catch(() => undefined).finally(() => (isSettled = true));
      await expect.poll(() => heard).toContain('permission asked');
      await connection.agent.notify('session/cancel', { sessionId });
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect(isSettled).toBe(false);
    });
  });

  it('a finished prompt is what it was, and a later cancel disturbs nobody', async () => {
    expect(await prompt(null, 'finish')).toMatchObject({ stopReason: 'end_turn', stoppedBy: undefined });
    await connection.agent.notify('session/cancel', { sessionId });
    await connection.agent.notify('session/cancel', { sessionId: 'nobody knows it' });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await prompt(null, 'finish')).toMatchObject({ stopReason: 'end_turn' });
  });

  it('session/cancel is answered cancelled, after the last update', async () => {
    const { result, ms } = await cancelAfter('ready', 'wait');
    expect(result).toMatchObject({ stopReason: 'cancelled', stoppedBy: { kind: 'user' } });
    expect(heard.slice(-2)).toEqual(['last words', 'answer: cancelled']);
    expect(ms).toBeLessThan(limitMs(500));
  });

  it('also if what the agent was doing throws on the way out', async () => {
    await cancelAfter('ready', 'throw');
    expect(heard.slice(-2)).toEqual(['last words', 'answer: cancelled']);
  });

  it('an open permission is answered cancelled, and taken back', async () => {
    const { result } = await cancelAfter('permission asked', 'permission');
    expect(result.stopReason).toBe('cancelled');
    expect(withdrawn).toBe(1);
    expect(heard).toEqual([
      'permission',
      'permission asked',
      'permission: cancelled',
      'ready',
      'last words',
      'answer: cancelled',
    ]);
  });

  it('names the tool calls that have not ended, at the cancel', async () => {
    const { result } = await cancelAfter('ready', 'tools');
    expect(cancelledCalls).toEqual([['running']]);
    expect(result.unfinishedToolCalls).toEqual(['running']);
  });

  it('a cancel in the same chunk as its prompt reaches it', async () => {
    const answer = connection.agent.request('session/prompt', params('wait'));
    await connection.agent.notify('session/cancel', { sessionId });
    expect(await answer).toEqual({ stopReason: 'cancelled' });
  });

  it('$/cancel_request is answered −32800', async () => {
    const source = new AbortController();
    const answer = connection.agent.request('session/prompt', params('wait'), { cancellationSignal: source.signal });
    const outcome = expect(answer).rejects.toMatchObject({ code: -32800 });
    await expect.poll(() => heard, { interval: 2 }).toContain('ready');
    source.abort();
    await outcome;
    expect(heard.at(-1)).toBe('last words');
  });

  it('a prompt that is cancelled before it is sent is not sent', async () => {
    const source = new CancellationTokenSource();
    source.cancel('user');
    await expect(prompt(source.token, 'finish')).rejects.toMatchObject({ name: 'AbortError' });
    expect(await prompt(null, 'finish')).toMatchObject({ stopReason: 'end_turn' });
    expect(heard).toEqual(['finish', 'answer: end_turn']);
  });

  it('a deaf agent is given up, and its processes stopped', async () => {
    const source = new CancellationTokenSource();
    const answer = prompt(source.token, 'bare deaf');
    const outcome = expect(answer).rejects.toMatchObject({
      reason: { kind: 'user' },
      abandoned: { name: 'acp prompt' },
    });
    await expect.poll(() => errors).toMatch(/child \d+/);
    const pid = Number(/child (\d+)/.exec(errors)?.[1]);
    expect(isAlive(pid)).toBe(true);
    source.cancel('user');
    await outcome;
    expect(stops).toEqual([{ sessionId, pid: child.pid, survivors: [] }]);
    expect([isAlive(pid), isAlive(child.pid)]).toEqual([false, false]);
  });
});
