/**
 * What stands in for the executable of the Claude Agent SDK where its loop matters: it asks the model at `ANTHROPIC_BASE_URL`, and calls
 * the tools of the SDK's own server over the SDK's protocol. Where it does something that one would not expect, the real one of
 * version 0.3.330 was seen to do the same, against the same server:
 *
 * - an interrupt keeps the words that had come; a running call is given up and not waited for; each call without a result is told
 *   that the user does not want it,
 * - a message that comes while a call runs is in the next request, beside the result; one that comes in the last reply is the next prompt,
 * - a conversation that is resumed after a kill holds nothing of the reply that was on its way.
 *
 * @module
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { contentOf, modelReply, type Block } from './model-reply.ts';
import { ask, hooksIn, listen, queue, resumed, send, sessionId, type Line, type Prompt } from './stdio.ts';

interface Message {
  readonly role: 'user' | 'assistant';
  readonly content: Line[];
}
interface ToolSpec {
  readonly name: string;
  readonly annotations?: { readonly readOnlyHint?: boolean };
}

const refused = "The user doesn't want to proceed with this tool use. The tool use was rejected.";
const folder = process.env['CLAUDE_CONFIG_DIR'] ?? '';
const file = join(folder, `${sessionId}.json`);

const messages = (resumed === undefined ? [] : JSON.parse(readFileSync(file, 'utf8'))) as Message[];
const keep = (): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify(messages));
};
if (messages.at(-1)?.role === 'user') {
  messages.push({ role: 'assistant', content: [{ type: 'text', text: 'No response requested.' }] });
}
/** Messages of one role that follow each other are one. */
const push = (role: Message['role'], ...content: Line[]): void => {
  const last = messages.at(-1);
  if (last?.role === role) last.content.push(...content);
  else messages.push({ role, content });
  keep();
};

// The SDK's own server.
let servers: readonly string[] = [];
let hooks: readonly string[] = [];
let called = 0;
const rpc = async (server_name: string, method: string, params: Line, id: number = ++called): Promise<Line> => {
  const message = { jsonrpc: '2.0', id, method, params };
  const { mcp_response: response } = (await ask({ subtype: 'mcp_message', server_name, message })) as {
    mcp_response: { result?: Line; error?: { message: string } };
  };
  return response.result ?? { isError: true, content: [{ type: 'text', text: response.error?.message }] };
};
const notify = (server_name: string, method: string, params: Line): void => {
  void ask({ subtype: 'mcp_message', server_name, message: { jsonrpc: '2.0', method, params } });
};
const tools = new Map<string, { readonly server: string; readonly spec: ToolSpec }>();
const connect = async (): Promise<void> => {
  for (const server of servers) {
    const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'loop', version: '1' } };
    await rpc(server, 'initialize', client);
    notify(server, 'notifications/initialized', {});
    const { tools: list } = (await rpc(server, 'tools/list', {})) as { tools: ToolSpec[] };
    for (const spec of list) tools.set(`mcp__${server}__${spec.name}`, { server, spec });
  }
};

let running: AbortController | undefined;

function reply(signal: AbortSignal, uuids: readonly string[]): Promise<Block[]> {
  let isFirst = true;
  return modelReply({
    tools: tools.keys(),
    messages,
    signal,
    onEvent: (event) => {
      const answered = { user_message_uuid: uuids.at(-1), user_message_uuids: uuids };
      send({ type: 'stream_event', event, ...(isFirst && answered) });
      isFirst = false;
    },
    onBlock: (content) => {
      send({ type: 'assistant', message: { role: 'assistant', content: [content] } });
    },
  });
}

/** Runs one call; gives its result, unless it is stopped before. */
async function use({ id, name }: Block, signal: AbortSignal): Promise<Line | undefined> {
  const stopped = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => {
      resolve(undefined);
    });
  });
  const unless = <T>(work: Promise<T>): Promise<T | undefined> => Promise.race([work, stopped]);
  const failed = (content: unknown): Line => ({ type: 'tool_result', tool_use_id: id, content, is_error: true });
  const tool = tools.get(name);
  if (tool === undefined) return failed(`No such tool available: ${name}`);
  for (const callback_id of hooks) {
    const input = { hook_event_name: 'PreToolUse', tool_name: name, tool_input: {}, tool_use_id: id };
    const hook = await unless(ask({ subtype: 'hook_callback', callback_id, tool_use_id: id, input }));
    if (hook === undefined) return undefined;
    const { permissionDecision, permissionDecisionReason } =
      (hook as { hookSpecificOutput?: Record<string, string> }).hookSpecificOutput ?? {};
    if (permissionDecision === 'deny') return failed(permissionDecisionReason);
  }
  if (process.argv.includes('--permission-prompt-tool')) {
    const allowed = await unless(ask({ subtype: 'can_use_tool', tool_name: name, input: {}, tool_use_id: id }));
    if (allowed === undefined) return undefined;
    const { behavior, message, interrupt } = allowed as Record<string, unknown>;
    if (interrupt === true) running?.abort();
    if (behavior !== 'allow') return failed(message);
  }
  const call = ++called;
  const result = await unless(
    rpc(
      tool.server,
      'tools/call',
      { name: tool.spec.name, arguments: {}, _meta: { 'claudecode/toolUseId': id } },
      call,
    ),
  );
  if (result !== undefined) {
    return { type: 'tool_result', tool_use_id: id, content: result['content'], is_error: result['isError'] === true };
  }
  notify(tool.server, 'notifications/cancelled', { requestId: call, reason: 'interrupted' });
  return undefined;
}

/**
 * All calls of a reply; those that only read run at once. The real one takes a result up some thirty milliseconds after it has come, and
 * an interrupt before that loses it. Here those of calls that run at once are taken up together, so that no interrupt races with them.
 */
async function useAll(calls: readonly Block[], signal: AbortSignal): Promise<void> {
  const take = (id: string, given: Line | undefined): Line => {
    const result = given ?? { type: 'tool_result', tool_use_id: id, content: refused, is_error: true };
    send({ type: 'user', message: { role: 'user', content: [result] } });
    return result;
  };
  const results: Line[] = [];
  if (calls.every(({ name }) => tools.get(name)?.spec.annotations?.readOnlyHint === true)) {
    const given = await Promise.all(calls.map((call) => use(call, signal)));
    results.push(...calls.map(({ id }, at) => take(id, signal.aborted ? undefined : given[at])));
  } else for (const call of calls) results.push(take(call.id, signal.aborted ? undefined : await use(call, signal)));
  push('user', ...results);
}

const isText = ({ type }: Line): boolean => type === 'text';

async function prompt({ uuid, content }: Prompt): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const isStopped = (): boolean => signal.aborted;
  const uuids = [uuid];
  running = stop;
  const end = (subtype: string, more: Line): void => {
    const shared = { num_turns: 1, permission_denials: [], total_cost_usd: 0 };
    const answered = { user_message_uuid: uuids.at(-1), user_message_uuids: uuids };
    send({ type: 'result', subtype, is_error: subtype !== 'success', ...shared, ...answered, ...more });
  };
  const interrupted = (during: string): void => {
    const said = { type: 'text', text: `[Request interrupted by user${during}]` };
    push('user', said);
    send({ type: 'user', message: { role: 'user', content: [said] } });
    end('error_during_execution', { errors: ['Request was aborted.'] });
  };
  push('user', ...content);
  try {
    for (;;) {
      const blocks = await reply(signal, uuids);
      const said = blocks.map(contentOf).filter((part) => !isText(part) || part['text'] !== '');
      if (said.length > 0) push('assistant', ...said);
      if (isStopped()) {
        send({ type: 'assistant', message: { role: 'assistant', content: said } });
        interrupted('');
        return;
      }
      const calls = blocks.filter(({ type }) => type === 'tool_use');
      if (calls.length === 0) {
        end('success', { result: blocks.map(({ text }) => text).join('') });
        return;
      }
      await useAll(calls, signal);
      if (isStopped()) {
        interrupted(' for tool use');
        return;
      }
      for (const { uuid: folded, content: own } of queue.splice(0)) {
        uuids.push(folded);
        push('user', { type: 'text', text: 'The user sent a new message while you were working:' }, ...own);
      }
    }
  } catch (error) {
    if (isStopped()) interrupted('');
    else end('success', { is_error: true, result: error instanceof Error ? error.message : String(error) });
  }
}

async function next(): Promise<void> {
  while (running === undefined) {
    const given = queue.shift();
    if (given === undefined) return;
    await prompt(given);
    running = undefined;
  }
}

let ready: Promise<void> = Promise.resolve();

listen({
  control(request, answer) {
    const { subtype, sdkMcpServers = [] } = request;
    if (subtype === 'initialize') {
      servers = sdkMcpServers;
      hooks = hooksIn(request);
      ready = connect();
    } else if (subtype === 'interrupt') running?.abort();
    answer();
  },
  prompted() {
    void ready.then(next);
  },
});
