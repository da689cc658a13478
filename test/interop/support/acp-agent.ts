/**
 * An ACP agent as a process of its own, over stdio: `node acp-agent.ts newest|previous`. What it does is the text of the
 * prompt: `finish` ends the turn · `wait` until it is stopped · `throw` when it is stopped · `permission` asks and waits ·
 * `tools` starts two tool calls, ends one, and waits · `bare …` does without us, as agents do · `bare deaf` never
 * answers, and starts a process that is deaf to SIGTERM.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { acpSessions, type AcpTurn } from '../../../src/adapters/acp/index.ts';
import type { AcpPromptContext } from '../../../src/adapters/acp/agent-sessions.ts';
import { load as newest } from '../newest/load.ts';
import { load as previous } from '../previous/load.ts';

type Sdk = typeof import('@agentclientprotocol/sdk');

const load = process.argv[2] === 'newest' ? newest : previous;
const sdk = (await load('@agentclientprotocol/sdk')) as Sdk;
const sessions = acpSessions({ graceMs: 500 });

const say = (text: string) => ({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } });
const toolCall = (toolCallId: string, status: string) => ({
  sessionUpdate: 'tool_call',
  toolCallId,
  title: toolCallId,
  kind: 'execute',
  status,
});
const question = {
  toolCall: { toolCallId: 'c1', title: 'rm' },
  options: [{ optionId: 'yes', name: 'Yes', kind: 'allow_once' }],
};

const never = new Promise<never>(() => undefined);

async function deaf(): Promise<never> {
  // Its pid is the news: the test looks whether it is alive.
  const child = spawn(process.execPath, ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], {
    stdio: 'ignore',
  });
  process.on('SIGTERM', () => undefined);
  await sleep(100);
  process.stderr.write(`child ${String(child.pid)}\n`);
  return await never;
}

async function work(text: string, { turn, update, requestPermission }: AcpTurn): Promise<{ stopReason: 'end_turn' }> {
  await update(say(text));
  if (text === 'finish') return { stopReason: 'end_turn' };
  if (text === 'permission') {
    const { outcome } = await requestPermission(question);
    await update(say(`permission: ${outcome}`));
  } else if (text === 'tools') {
    await update(toolCall('done', 'in_progress'));
    await update({ sessionUpdate: 'tool_call_update', toolCallId: 'done', status: 'completed' });
    await update(toolCall('running', 'in_progress'));
  }
  await update(say('ready'));
  await turn.token.whenCancelled();
  await update(say('last words'));
  if (text === 'throw') throw new Error('disk full');
  turn.checkpoint();
  return { stopReason: 'end_turn' };
}

/** What agents do without us: nothing maps `session/cancel` to the handler. */
async function bareWork(
  text: string,
  { client, params, signal }: AcpPromptContext,
): Promise<{ stopReason: 'end_turn' }> {
  const { sessionId } = params;
  await client.notify('session/update', { sessionId, update: say('ready') });
  if (text === 'bare permission') {
    await client.request('session/request_permission', { sessionId, ...question });
  } else if (text === 'bare deaf') {
    await deaf();
  } else if (text === 'bare wait') {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve, { once: true });
      setTimeout(resolve, 400);
    });
    await client.notify('session/update', { sessionId, update: say(`signal aborted: ${String(signal.aborted)}`) });
  }
  return { stopReason: 'end_turn' };
}

let count = 0;
const app = sdk
  .agent({ name: 'test-agent' })
  .onRequest('initialize', () => ({ protocolVersion: sdk.PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest('session/new', () => ({ sessionId: `s${String((count += 1))}` }))
  .onNotification('session/cancel', (context) => void sessions.cancel(context))
  .onRequest('session/prompt', (context) => {
    const [first] = context.params.prompt;
    const text = first?.type === 'text' ? first.text : '';
    if (text.startsWith('bare')) return bareWork(text, context);
    return sessions.prompt(context, (turn) => work(text, turn));
  });

const output = Writable.toWeb(process.stdout) as WritableStream<Uint8Array>;
const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
const connection = app.connect(sdk.ndJsonStream(output, input));
await connection.closed;
await sessions.closeAll('disconnect');
