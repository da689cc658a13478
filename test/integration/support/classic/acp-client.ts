/**
 * A real ACP client of a classic agent in a process of its own, over stdio, and everything it heard, in order.
 *
 * @module
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Readable, Writable } from 'node:stream';

import { client, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';

import { planted, type Stage } from './criterion.ts';
import { until } from './program.ts';

const main = fileURLToPath(new URL('../../../../examples/classic/5-acp-agent/main.ts', import.meta.url));

/** What `connect` gave, as far as it is used here. */
type Connection = ReturnType<ReturnType<typeof client>['connect']>;

export class AcpPeer {
  /** `session: what came`, the answers among it. */
  readonly heard: string[] = [];
  readonly #child: ChildProcess;
  readonly #connection: Connection;
  #errors = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr?.on('data', (chunk: Buffer) => (this.#errors += chunk.toString()));
    const app = client({ name: 'test-client' })
      .onNotification('session/update', ({ params: { sessionId, update } }) => {
        const isText = update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text';
        this.heard.push(
          `${sessionId}: ${isText ? (update.content as { text: string }).text : `<${update.sessionUpdate}>`}`,
        );
      })
      // A person who does not answer, until the question is taken back.
      .onRequest('session/request_permission', ({ params, signal }) => {
        this.heard.push(`${params.sessionId}: <permission>`);
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ outcome: { outcome: 'cancelled' } }), { once: true });
        });
      });
    const output = Writable.toWeb(child.stdin!) as WritableStream<Uint8Array>;
    const input = Readable.toWeb(child.stdout!) as ReadableStream<Uint8Array>;
    this.#connection = app.connect(ndJsonStream(output, input));
  }

  /** Starts the agent; the stage closes it. */
  static async open(kind: 'echo' | 'loop', stage: Stage, env: Readonly<Record<string, string>>): Promise<AcpPeer> {
    const child = spawn(process.execPath, [main, kind], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, ...env, ...planted(stage.plant) },
    });
    const peer = new AcpPeer(child);
    stage.closers.push(() => peer.#close());
    const params = { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} };
    await peer.#connection.agent.request('initialize', params);
    return peer;
  }

  async newSession(): Promise<string> {
    return (await this.#connection.agent.request('session/new', { cwd: '/', mcpServers: [] })).sessionId;
  }

  /** Sends a prompt; its answer is heard, a failure as `error: …`. */
  prompt(sessionId: string, text: string): void {
    const prompt = [{ type: 'text' as const, text }];
    const answer: Promise<{ stopReason: string }> = this.#connection.agent.request('session/prompt', {
      sessionId,
      prompt,
    });
    answer.then(
      ({ stopReason }) => this.heard.push(`${sessionId}: answer ${stopReason}`),
      (error: unknown) => this.heard.push(`${sessionId}: error ${error instanceof Error ? error.message : ''}`),
    );
  }

  cancel(sessionId: string): Promise<void> {
    return this.#connection.agent.notify('session/cancel', { sessionId });
  }

  /** Waits until something has been heard. */
  hears(text: string, ms = 5000): Promise<void> {
    return until(`heard ${text}`, () => this.heard.some((line) => line.includes(text)), ms);
  }

  /** Waits for what the agent and its MCP server wrote beside the protocol, and reads up to there. */
  async logs(text: string, ms = 5000): Promise<void> {
    await until(`logged ${text}`, () => this.#errors.includes(text), ms);
    this.#errors = this.#errors.slice(this.#errors.indexOf(text) + text.length);
  }

  /** Whatever the agent has left running does not hold our ends of its pipes. */
  async #close(): Promise<void> {
    this.#connection.close();
    if (this.#child.exitCode === null && this.#child.signalCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.stdin?.end();
      const timer = setTimeout(() => this.#child.kill('SIGKILL'), 1500);
      await ended;
      clearTimeout(timer);
    }
    for (const pipe of this.#child.stdio) pipe?.destroy();
  }
}
