/**
 * What one request looked like from the server's side: what was asked, what went out, and who closed the socket.
 *
 * @module
 */
import type { IncomingHttpHeaders } from 'node:http';

import { historyOf, type HistoryItem, type ModelDialect } from './reading/history.ts';
import { inputFor, shellToolIn, toolsOf, type RequestTool } from './reading/request-tools.ts';
import type { ScriptedToolCall } from './script.ts';

/**
 * One request as the server saw it. The object is live: its fields change while the reply is on its way.
 *
 * @since 0.1.0
 */
export interface ModelRequest {
  /** 1 for the first request of the server. */
  readonly n: number;
  /** The protocol, told by the path. */
  readonly dialect: ModelDialect;
  /** The model it asked for, in its body or in its path; `undefined` if it named none. */
  readonly model: string | undefined;
  /** The parsed JSON body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** The request's headers, names in lower case. */
  readonly headers: IncomingHttpHeaders;
  /** Whether the client asked for a stream. */
  readonly stream: boolean;
  /** When its body had arrived, epoch ms. */
  readonly receivedAt: number;
  /** The HTTP status sent; `undefined` before the headers went out. */
  readonly status: number | undefined;
  /** The provider's words with which the transcript was refused; `undefined` if it was not. */
  readonly refusal: string | undefined;
  /** Bytes of body written so far. */
  readonly bytesWritten: number;
  /** Deltas written so far. */
  readonly deltasWritten: number;
  /** When the whole reply had been handed over, epoch ms; `undefined` before, and for ever if it was cut. */
  readonly finishedAt: number | undefined;
  /** Whether the client closed the connection before the reply was complete. */
  readonly closedEarly: boolean;
  /** When the connection for this request ended, in whatever way, epoch ms. */
  readonly closedAt: number | undefined;
  /** The tools that it declares, in their order, those of nested lists (Gemini) included; in one shape for every protocol. */
  readonly tools: readonly RequestTool[];
  /**
   * What it tells the model of the conversation, oldest first: one item per text, thought, call and result, in one shape for every
   * protocol. What the server of the Responses API keeps (`previous_response_id`) is not in it.
   */
  readonly history: readonly HistoryItem[];
  /**
   * A call of the shell tool that it declares, for the script: the tool is told by its name and its schema, and what else the schema
   * requires is filled in.
   *
   * @param command The command line.
   * @returns The call, or `undefined` if no tool runs commands.
   */
  shellCall(command: string): ScriptedToolCall | undefined;
}

/**
 * A request that no protocol of the server knows: another path, another method, or a body that is no JSON object.
 *
 * @since 0.1.0
 */
export interface UnknownRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  /** The status that it got. */
  readonly status: number;
  /** When it came, epoch ms. */
  readonly receivedAt: number;
}

/** What a path says about a request, where the body does not. */
export interface Route {
  readonly model?: string | undefined;
  readonly stream?: boolean | undefined;
}

/** Epoch milliseconds that never go backwards. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/** The writable side of {@link ModelRequest}, of a request whose body has just arrived. */
export class RequestRecord implements ModelRequest {
  readonly n: number;
  readonly dialect: ModelDialect;
  readonly model: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
  readonly stream: boolean;
  readonly receivedAt: number = now();
  status: number | undefined;
  refusal: string | undefined;
  bytesWritten = 0;
  deltasWritten = 0;
  finishedAt: number | undefined;
  closedEarly = false;
  closedAt: number | undefined;

  constructor(
    n: number,
    dialect: ModelDialect,
    body: Readonly<Record<string, unknown>>,
    headers: IncomingHttpHeaders,
    route: Route = {},
  ) {
    const model = route.model ?? body['model'];
    this.n = n;
    this.dialect = dialect;
    this.model = typeof model === 'string' ? model : undefined;
    this.body = body;
    this.headers = headers;
    this.stream = route.stream ?? body['stream'] === true;
  }

  get tools(): readonly RequestTool[] {
    return toolsOf(this);
  }

  get history(): readonly HistoryItem[] {
    return historyOf(this);
  }

  shellCall(command: string): ScriptedToolCall | undefined {
    const tool = shellToolIn(this);
    return tool && { name: tool.name, input: inputFor(tool, command) };
  }
}
