/**
 * The protocol of the Claude Agent SDK over stdio, on the side of its executable: what it says and asks, and the prompts that wait.
 *
 * @module
 */
import { createInterface } from 'node:readline';

export type Line = Readonly<Record<string, unknown>>;

export interface Prompt {
  readonly uuid: string;
  readonly content: readonly Line[];
}

/** What the SDK asks of its executable. */
export interface ControlRequest {
  readonly subtype: string;
  readonly cancel_queued?: boolean;
  readonly task_id?: string;
  readonly message_uuid?: string;
  readonly perTaskStopAffordance?: boolean;
  readonly sdkMcpServers?: readonly string[];
  readonly hooks?: { readonly PreToolUse?: readonly { readonly hookCallbackIds: readonly string[] }[] };
}

interface Heard {
  readonly type: string;
  readonly uuid?: string;
  readonly request_id?: string;
  readonly request?: ControlRequest;
  readonly response?: { readonly request_id: string; readonly response?: unknown };
  readonly message?: { readonly content: string | readonly Line[] };
}

interface Listener {
  /** An executable from before receipts leaves what waits, whatever it is told. */
  readonly isOld?: boolean;
  /** The queue and its receipt are done; whether and when it is answered is the listener's. */
  control(request: ControlRequest, answer: () => void): void;
  /** One more prompt waits. */
  prompted(): void;
}

/** The session that is to be resumed. */
export const resumed = /--resume[ =](\S+)/.exec(process.argv.join(' '))?.[1];
export const sessionId = resumed ?? crypto.randomUUID();
/** The prompts that wait. */
export const queue: Prompt[] = [];
const answers = new Map<string, (response: unknown) => void>();
let asked = 0;

export function send(line: Line): void {
  const ids = { session_id: sessionId, uuid: crypto.randomUUID(), parent_tool_use_id: null };
  process.stdout.write(`${JSON.stringify({ ...ids, ...line })}\n`);
}

/** Asks the SDK. */
export function ask(request: Line): Promise<unknown> {
  return new Promise((resolve) => {
    const request_id = `ask_${String(++asked)}`;
    answers.set(request_id, resolve);
    send({ type: 'control_request', request_id, request });
  });
}

/** Whom to ask before a tool runs. */
export function hooksIn({ hooks }: ControlRequest): readonly string[] {
  return (hooks?.PreToolUse ?? []).flatMap(({ hookCallbackIds }) => hookCallbackIds);
}

/** What a request does to the prompts that wait, and what the SDK is told of it. */
function receiptOf({ subtype, cancel_queued: cancelsQueued, message_uuid }: ControlRequest, isOld: boolean): Line {
  const waiting = queue.map(({ uuid }) => uuid);
  if (subtype === 'cancel_async_message') {
    const at = waiting.indexOf(message_uuid ?? '');
    if (at >= 0) queue.splice(at, 1);
    return { cancelled: at >= 0 };
  }
  if (subtype !== 'interrupt') return {};
  if (cancelsQueued !== true || isOld) return { still_queued: waiting };
  queue.length = 0;
  return { still_queued: [], cancelled: waiting };
}

/** Hears the SDK until it closes the pipe. */
export function listen({ isOld = false, control, prompted }: Listener): void {
  createInterface({ input: process.stdin }).on('line', (line) => {
    const { type, uuid = crypto.randomUUID(), request_id, request, response: own, message } = JSON.parse(line) as Heard;
    if (type === 'control_request' && request !== undefined) {
      const response = { commands: [], models: [], ...receiptOf(request, isOld) };
      control(request, () => {
        send({ type: 'control_response', response: { subtype: 'success', request_id, response } });
      });
    } else if (type === 'control_response') answers.get(own?.request_id ?? '')?.(own?.response);
    else if (type === 'user') {
      const content = message?.content ?? '';
      queue.push({ uuid, content: typeof content === 'string' ? [{ type: 'text', text: content }] : content });
      prompted();
    }
  });
}
