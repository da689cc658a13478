/**
 * A client as the keeper of a server sees it, over HTTP: there is no process.
 *
 * @module
 */
import type { McpClientLike } from '../../../src/adapters/mcp/server-probe.ts';

export const never = new Promise<never>(() => undefined);

export class FakeClient implements McpClientLike {
  transport: unknown = {};
  pings = 0;
  answer: () => Promise<unknown> = () => Promise.resolve({});

  close(): Promise<void> {
    this.transport = undefined;
    return Promise.resolve();
  }

  ping(): Promise<unknown> {
    this.pings += 1;
    return this.answer();
  }
}
