/**
 * A scripted model on the loopback: speaks Anthropic Messages, OpenAI Chat Completions, OpenAI Responses, Gemini and
 * Ollama well enough for the real SDKs, and remembers what a test of a cancel must know – how many requests came, how
 * much of each reply went out, and who closed the socket. Prior art: `msw`, `nock`, the provider SDKs' own fixtures.
 *
 * @module
 */
import { requireOptions, type OptionNames } from '../../core/inside.ts';
import { readScript, type ModelScript } from './script.ts';
import { ScriptedServer, type ModelServer } from './scripted-server.ts';

export type { HistoryItem, ModelDialect } from './reading/history.ts';
export type { RequestTool } from './reading/request-tools.ts';
export type { ModelRequest, UnknownRequest } from './request-record.ts';
export type {
  ModelAnswer,
  ModelFailure,
  ModelReply,
  ModelScript,
  ModelSilence,
  ReplyPacing,
  ScriptedPart,
  ScriptedToolCall,
} from './script.ts';
export type { ModelServer } from './scripted-server.ts';

/**
 * Options of {@link startModelServer}.
 *
 * @since 0.1.0
 */
export interface ModelServerOptions {
  /** TCP port on 127.0.0.1; by default any free one. */
  readonly port?: number | undefined;
  /** What the model answers; by default `['Hello.']`, so that one request works. */
  readonly script?: ModelScript | undefined;
  /**
   * Whether transcripts that the provider would refuse are refused here too, with 400 and its words. Such a request
   * takes no reply from the script. Default `true`. Anthropic's `thinking: { type: 'enabled' }` wants a thought at the head of a
   * reply whose calls have just been answered; Gemini 3 the signature of each step since the user's last words.
   */
  readonly strict?: boolean | undefined;
}

const optionNames: OptionNames<ModelServerOptions> = { port: 1, script: 1, strict: 1 };

/**
 * Starts a scripted model on the loopback.
 *
 * A script that is a list is used up in order, across all protocols; one reply too few is answered with 400, which no
 * SDK retries.
 *
 * @checkpoint never
 * @cleanup `close()`.
 * @param options Port, script, strictness.
 * @returns The running server.
 * @throws TypeError, RangeError – an option or a scripted reply that makes no sense. Error – the port is in use.
 * @example A stream that its client leaves
 * ```ts
 * import { startModelServer } from 'desist/testing'
 *
 * const server = await startModelServer({ script: [{ text: 'one two three four', chunkMs: 50 }] })
 * const leave = new AbortController()
 * const response = await fetch(`${server.url}/v1/chat/completions`, {
 *   method: 'POST',
 *   body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Count.' }] }),
 *   signal: leave.signal,
 * })
 * leave.abort()
 * await server.waitFor(({ requests }) => requests[0]?.closedEarly) // => true
 * response.status // => 200
 * await server.close()
 * ```
 * @source `msw`, `nock`
 * @since 0.1.0
 */
export async function startModelServer(options: ModelServerOptions = {}): Promise<ModelServer> {
  requireOptions(options, optionNames);
  const { port = 0, script = ['Hello.'], strict = true } = options;
  if (typeof port !== 'number') throw new TypeError(`port must be a number, got ${String(port)}`);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new RangeError(`port must be 0 to 65535, got ${String(port)}`);
  }
  if (typeof strict !== 'boolean') throw new TypeError(`strict must be a boolean, got ${String(strict)}`);
  const server = new ScriptedServer(readScript(script), strict);
  await server.listen(port);
  return server;
}
