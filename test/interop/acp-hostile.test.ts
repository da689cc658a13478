import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { acpClient } from '../../src/adapters/acp/index.ts';
import type { AcpAgentStop } from '../../src/adapters/acp/agent-process.ts';
import { markedEnvironment } from '../../src/adapters/child-process/index.ts';
import { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';
import { killAll, processesNamed, uniqueSleep } from '../integration/support/child-process-watch.ts';
import { majors } from './majors.ts';

type Sdk = typeof import('@agentclientprotocol/sdk');

const loaded = await Promise.all(
  majors.map(async (major) => ({ name: major.name, sdk: await major.load<Sdk>('@agentclientprotocol/sdk') })),
);

/** An agent that answers `initialize`, and a prompt or its cancel as `onMessage`, the body of a function of `message`, says. */
function rawAgent(onMessage: string): string {
  return `
    const say = (rest) => console.log(JSON.stringify({ jsonrpc: '2.0', ...rest }));
    let prompt;
    require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
      const message = JSON.parse(line);
      if (message.method === 'session/prompt') prompt = message.id;
      if (message.method !== 'initialize') { ${onMessage}; return; }
      const { protocolVersion } = message.params;
      say({ id: message.id, result: { protocolVersion, agentCapabilities: {} } });
    });`;
}

describe.each(loaded)('S26 on a hostile day, $name', ({ sdk }) => {
  /** @param before What a shell does before it becomes the agent. */
  async function open(onMessage: string, before = '') {
    const env = { ...process.env, ...markedEnvironment() };
    const args = ['-c', `${before} exec "$0" --eval "$1"`, process.execPath, rawAgent(onMessage)];
    const child = spawn('sh', args, { stdio: ['pipe', 'pipe', 'ignore'], env });
    const stops: AcpAgentStop[] = [];
    const client = acpClient({ agentProcess: child, env, graceMs: 400, onAgentStopped: (stop) => stops.push(stop) });
    const input = Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>;
    const stream = sdk.ndJsonStream(Writable.toWeb(child.stdin) as WritableStream<Uint8Array>, input);
    const { agent } = sdk.client({ name: 'test-client' }).connect(stream);
    await agent.request('initialize', { protocolVersion: sdk.PROTOCOL_VERSION, clientCapabilities: {} });
    const person = new CancellationTokenSource();
    const prompt = (sessionId: string) => client.prompt(person.token, { agent, params: { sessionId, prompt: [] } });
    return { child, client, stops, person, prompt };
  }

  it('an agent that dies of the cancel reads as cancelled, also in a session without a name', async () => {
    const hooks = process.listenerCount('exit');
    const { child, stops, person, prompt } = await open("if (message.method === 'session/cancel') process.exit(5)");
    expect(process.listenerCount('exit')).toBe(hooks + 1);
    const exited = once(child, 'exit');
    const asked = prompt('');
    setTimeout(() => person.cancel('user'), 50);
    await expect(asked).rejects.toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
    expect([await exited, stops]).toEqual([[5, null], []]);
    expect(process.listenerCount('exit')).toBe(hooks); // nobody has to close what has ended
  });

  it('the daemon of an agent that ended before anybody could ask it is stopped by its environment', async () => {
    const tag = uniqueSleep();
    const env = { ...process.env, ...markedEnvironment() };
    const child = spawn('sh', ['-c', `setsid sleep ${tag} >/dev/null 2>&1 & exit 0`], { stdio: 'ignore', env });
    try {
      await once(child, 'exit');
      await expect.poll(() => processesNamed(tag).length).toBe(1);
      expect(await acpClient({ agentProcess: child, env, graceMs: 400 }).close()).toEqual([]);
      expect(processesNamed(tag)).toEqual([]);
    } finally {
      killAll(tag);
    }
  });

  it('one that answers the cancel with an error of the protocol has failed', async () => {
    const error = "say({ id: prompt, error: { code: -32000, message: 'no' } })";
    const { client, person, prompt } = await open(`if (message.method === 'session/cancel') ${error}`);
    const asked = prompt('s1');
    setTimeout(() => person.cancel('user'), 50);
    await expect(asked).rejects.toMatchObject({ code: -32_000, message: 'no' });
    await client.close();
  });

  it('200 prompts of a deaf agent are given up at once, and it goes with its daemons', async () => {
    const tag = uniqueSleep();
    const deaf = "process.on('SIGTERM', () => undefined)";
    const before = `(setsid sh -c "trap '' TERM; while :; do sleep ${tag}; done" &);`;
    const { child, stops, person, prompt } = await open(deaf, before);
    try {
      const asked = Array.from({ length: 200 }, (_, index) => prompt(`s${String(index)}`).catch((e: unknown) => e));
      await expect.poll(() => processesNamed(tag).length).toBeGreaterThan(1);
      person.cancel('user');
      const errors = (await Promise.all(asked)) as { reason?: { kind?: string }; abandoned?: unknown }[];
      expect(new Set(errors.map((e) => `${e.reason?.kind ?? ''} ${String(e.abandoned !== undefined)}`))).toEqual(
        new Set(['user true']),
      );
      expect(stops.filter((stop) => stop.pid !== child.pid || stop.survivors.length > 0)).toEqual([]);
      expect([stops.length, processesNamed(tag)]).toEqual([200, []]);
    } finally {
      killAll(tag);
    }
  });

  it('close gives the hook back, and takes the listener of the exit along', async () => {
    const [hooks, { child, client }] = [process.listenerCount('exit'), await open('')];
    expect(process.listenerCount('exit')).toBe(hooks + 1);
    expect(await client.close()).toEqual([]);
    await expect.poll(() => child.listenerCount('exit')).toBe(0);
    expect(process.listenerCount('exit')).toBe(hooks);
  });
});

it.each(['exit', 'SIGTERM'] as const)('the end of our program takes a deaf agent and its daemon: %s', async (how) => {
  const tag = uniqueSleep();
  const program = fileURLToPath(new URL('support/acp-program.ts', import.meta.url));
  const ours = spawn(process.execPath, [program, tag], { stdio: ['pipe', 'pipe', 'inherit'] });
  try {
    await once(ours.stdout, 'data');
    const sleepers = () => processesNamed(tag).filter(({ command }) => command === `sleep ${tag}`).length;
    await expect.poll(sleepers).toBe(2);
    if (how === 'exit') ours.stdin.write('end\n');
    else ours.kill(how);
    await once(ours, 'exit');
    await expect.poll(() => processesNamed(tag)).toEqual([]);
  } finally {
    killAll(tag);
  }
});
