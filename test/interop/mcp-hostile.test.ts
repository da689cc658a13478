import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { McpServerStop } from '../../src/adapters/mcp/server-process.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { killAll, processesNamed, uniqueSleep } from '../integration/support/child-process-watch.ts';
import { deafFromTheStart, keeperOf, rawServer, type ServerCommand } from './support/mcp-clients.ts';

const run = promisify(execFile);
const program = fileURLToPath(new URL('support/mcp-program.ts', import.meta.url));
const tag = uniqueSleep();
afterEach(() => killAll(tag));

describe.each([1, 2] as const)('S25 on a hostile day, version %i', (version) => {
  function start(server: ServerCommand, afterCancel?: 'stop') {
    const stops: McpServerStop[] = [];
    const keeper = keeperOf(version, server, { afterCancel, onServerStopped: (stop) => stops.push(stop) });
    const call = (token: CancellationTokenSource['token'] | null = null, more: object = {}) =>
      keeper.request(token, (client, options) => client.tool('t', { ...options, ...more }));
    return { keeper, stops, call };
  }

  it.each(['connected', 'initialize'])('the end of our program takes the server and its daemon: %s', async (how) => {
    const ours = spawn(process.execPath, [program, String(version), how, tag], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(ours.stdout, 'data');
    const isUp = () => processesNamed(`sleep ${tag}`).some(({ command }) => command === `sleep ${tag}`);
    await expect.poll(isUp).toBe(true);
    ours.stdin.write('end\n');
    await once(ours, 'exit');
    await expect.poll(() => processesNamed(`sleep ${tag}`)).toEqual([]);
  });

  it('a server that dies in initialize fails its request, and is started again for the next', async () => {
    const before = process.listenerCount('exit');
    const { keeper, stops, call } = start({ command: 'sh', args: ['-c', 'exit 3'] });
    for (const _ of [1, 2]) await expect(call()).rejects.toThrow('Connection closed');
    await keeper.close();
    expect([stops, process.listenerCount('exit')]).toEqual([[], before]);
  });

  it('one that dies in initialize does not leave its daemon behind', async () => {
    const { keeper, stops, call } = start({
      command: 'sh',
      args: ['-c', `setsid sleep ${tag} >/dev/null 2>&1 & sleep 0.2; exit 3`],
    });
    await expect(call()).rejects.toThrow('Connection closed');
    expect(processesNamed(tag)).toEqual([]);
    await keeper.close();
    expect(stops).toEqual([]);
  });

  it('one that dies in a call does not leave its daemon behind, neither for the next request nor with close', async () => {
    const daemon = `require('node:child_process').spawn('sleep', ['${tag}'], { detached: true, stdio: 'ignore' })`;
    const { keeper, stops, call } = start(
      rawServer(`if (message.method === 'tools/call') ${daemon}.once('spawn', () => process.exit(3));`),
    );
    for (const _ of [1, 2]) {
      await expect(call()).rejects.toThrow('Connection closed');
      expect(processesNamed(tag)).toHaveLength(1);
    }
    await keeper.close();
    expect([processesNamed(tag), stops]).toEqual([[], []]);
  });

  it('a request that waits for the connection when it is closed says so', async () => {
    const { keeper, call } = start(rawServer(''));
    const asked = expect(call()).rejects.toThrow(new Error('The client is closed'));
    await keeper.close();
    await asked;
    await expect(call()).rejects.toThrow('The client is closed');
  });

  it('one that does not answer initialize holds nobody up, and is gone with close, its daemon too', async () => {
    const { keeper, stops, call } = start(deafFromTheStart(tag));
    const person = new CancellationTokenSource();
    const asked = call(person.token);
    await expect.poll(() => processesNamed(tag).length).toBeGreaterThanOrEqual(3);
    person.cancel('user');
    await expect(asked).rejects.toMatchObject({ reason: { kind: 'user' } });
    await keeper.close();
    expect(processesNamed(tag)).toEqual([]);
    expect(stops).toEqual([{ pid: expect.any(Number) as number, why: 'closed', survivors: [] }]);
  });

  it('200 requests of a deaf server are cancelled at once, for one stop of it', async () => {
    const { keeper, stops, call } = start(rawServer(''));
    const person = new CancellationTokenSource();
    const asked = Array.from({ length: 200 }, () => call(person.token).catch((error: unknown) => error));
    await expect.poll(() => keeper.client).toBeDefined();
    person.cancel('user');
    const kinds = (await Promise.all(asked)).map((error) => (error as { reason?: { kind?: string } }).reason?.kind);
    expect(new Set(kinds)).toEqual(new Set(['user']));
    await keeper.settled();
    expect(stops.map(({ why }) => why)).toEqual(['deaf']);
    await keeper.close();
  });

  it('a limit of the SDK’s own is followed by the same question', async () => {
    const { keeper, stops, call } = start(rawServer(''));
    const timeout = version === 1 ? { code: -32_001 } : { code: 'REQUEST_TIMEOUT' };
    await expect(call(null, { timeout: 200 })).rejects.toMatchObject(timeout);
    await keeper.settled();
    expect(stops.map(({ why }) => why)).toEqual(['deaf']);
    await keeper.close();
  });

  it("with afterCancel 'stop' the other open requests fail with the connection", async () => {
    const { keeper, stops, call } = start(rawServer(''), 'stop');
    const person = new CancellationTokenSource();
    const other = call().catch((error: unknown) => error);
    const asked = call(person.token);
    await expect.poll(() => keeper.client).toBeDefined();
    person.cancel('user');
    await expect(asked).rejects.toMatchObject({ reason: { kind: 'user' } });
    expect(String(await other)).toContain('Connection closed');
    await keeper.settled();
    expect(stops.map(({ why }) => why)).toEqual(['cancelled']);
    await keeper.close();
  });

  it('S42 without file descriptors the start fails with its code, and who is connected goes on', async () => {
    const line = `ulimit -n 120; exec "$0" "$@"`;
    const args = ['-c', line, process.execPath, program, String(version), 'hoard'];
    const { stdout } = await run('/bin/sh', args, { timeout: 20_000 });
    expect(JSON.parse(stdout)).toEqual({ refused: 'EMFILE', kept: { content: [] } });
  });
});
