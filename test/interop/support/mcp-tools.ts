/**
 * The tools of the recording MCP server, the same for both versions of the SDK, and what the server remembers.
 *
 * `quick` answers at once · `polite` until it is told to stop · `deaf` after `ms` whatever it is told · `report` sends
 * `times` progress notifications `ms` apart and then never answers · `sample` and `elicit` ask the client something and
 * wait · `bare-sample` does so without our token · `block` holds the server's thread for `ms`.
 *
 * @module
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { fromExtra } from '../../../src/adapters/mcp/index.ts';
import type { McpHandlerExtra } from '../../../src/adapters/mcp/from-extra.ts';

/** A JSON-RPC message, as far as the tests look at it. */
export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly name?: string; readonly reason?: string; readonly requestId?: number };
}

/** What a server remembers. */
export interface Journal {
  readonly received: Message[];
  readonly sent: Message[];
  /** Tool and kind of each handler whose token was cancelled. */
  readonly stopped: string[];
}

export function journal(): Journal {
  return { received: [], sent: [], stopped: [] };
}

export interface ToolResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
}

type Arguments = { readonly ms?: number | undefined; readonly times?: number | undefined };

/** Asks the client, with the request options that it is to be asked under. */
export interface Questions {
  sample(extra: unknown, options: { signal?: AbortSignal }): Promise<unknown>;
  elicit(extra: unknown, options: { signal?: AbortSignal }): Promise<unknown>;
}

/** Adds one tool to a server of either version. */
export type Register = (
  name: string,
  inputSchema: z.ZodObject<{ ms: z.ZodOptional<z.ZodNumber>; times: z.ZodOptional<z.ZodNumber> }>,
  handler: (args: Arguments, extra: McpHandlerExtra) => Promise<ToolResult>,
) => void;

const inputSchema = z.object({ ms: z.number().optional(), times: z.number().optional() });

function say(text: string): ToolResult {
  return { content: [{ type: 'text', text }] };
}

export const samplingParams = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Go on?' } }],
  maxTokens: 10,
};

export const elicitationParams = {
  message: 'Sure?',
  requestedSchema: { type: 'object' as const, properties: { sure: { type: 'boolean' as const } } },
};

export function registerTools(register: Register, { received, sent, stopped }: Journal, questions: Questions): void {
  const add = (name: string, handler: (args: Arguments, extra: McpHandlerExtra) => Promise<string>): void => {
    register(name, inputSchema, async (args, extra) => say(await handler(args, extra)));
  };
  add('log', () => Promise.resolve(JSON.stringify({ received, sent, stopped })));
  add('quick', () => Promise.resolve('quick'));
  add('polite', async (_args, extra) => {
    const { token } = fromExtra(extra);
    const reason = await token.whenCancelled();
    stopped.push(`polite: ${reason.kind}`);
    return 'stopped';
  });
  add('deaf', async ({ ms }) => {
    await sleep(ms);
    return 'late';
  });
  add('block', ({ ms = 0 }) => {
    for (const end = Date.now() + ms; Date.now() < end;);
    return Promise.resolve('awake');
  });
  add('report', async ({ ms, times = 0 }, extra) => {
    const { progress } = fromExtra(extra);
    for (let step = 1; step <= times; step += 1) {
      await sleep(ms);
      await progress({ progress: step });
    }
    return await new Promise<never>(() => undefined);
  });
  for (const question of ['sample', 'elicit'] as const) {
    add(question, async (_args, extra) => {
      const call = fromExtra(extra);
      await call.request((options) => questions[question](extra, options));
      return 'answered';
    });
  }
  add('bare-sample', async (_args, extra) => {
    await questions.sample(extra, {});
    return 'answered';
  });
}

/** What a recording transport needs of the SDK's. */
interface TransportLike {
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  send(message: never, options?: never): Promise<void>;
}

/** Writes down what passes a connected server transport. */
export function record(transport: object, { received, sent }: Journal): void {
  const recorded = transport as TransportLike;
  const handle = recorded.onmessage;
  recorded.onmessage = (message, extra) => {
    received.push(message);
    handle?.call(recorded, message, extra);
  };
  const send = recorded.send.bind(recorded);
  recorded.send = (message, options) => {
    sent.push(message);
    return send(message, options);
  };
}
