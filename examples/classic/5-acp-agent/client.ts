/** A small ACP client in a terminal: starts the agent, sends one prompt, and ESC sends `session/cancel`. */
import { spawn } from 'node:child_process';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { client, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { CancellationTokenSource, CancelledError } from 'desist';
import { acpClient } from 'desist/acp';
import { watchTerminal } from 'desist/terminal';

process.stdout.once('error', () => process.exit(1)); // nobody reads it any more
const [kind = 'loop', ...words] = process.argv.slice(2);
const main = fileURLToPath(new URL('main.ts', import.meta.url));
const child = spawn(process.execPath, [main, kind], { stdio: ['pipe', 'pipe', 'inherit'] });
const acp = acpClient({ agentProcess: child });
const person = new CancellationTokenSource({ name: 'person' });
await using _keys = watchTerminal({ cancel: person.cancel.bind(person), kill: person.kill.bind(person) });

const app = client({ name: 'classic-client' })
  .onNotification('session/update', ({ params }) => {
    acp.observe(params);
    const { update } = params;
    if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
      process.stdout.write(update.content.text);
    else if (update.sessionUpdate === 'tool_call') process.stdout.write(`\n→ ${update.title}\n`);
  })
  // Nobody is asked here: the answer is no.
  .onRequest('session/request_permission', (context) =>
    acp.permission(context, () => Promise.resolve({ outcome: { outcome: 'selected' as const, optionId: 'no' } })),
  );
const connection = app.connect(
  ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>),
);

/** How the prompt ended, with ESC before it was sent as well. */
async function ask(text: string): Promise<string> {
  await connection.agent.request('initialize', { protocolVersion: PROTOCOL_VERSION, clientCapabilities: {} });
  const { sessionId } = await connection.agent.request('session/new', { cwd: process.cwd(), mcpServers: [] });
  const params = { sessionId, prompt: [{ type: 'text' as const, text }] };
  return (await acp.prompt(person.token, { agent: connection.agent, params })).stopReason;
}

try {
  process.stdout.write(`\n── ${await ask(words.join(' ') || 'Tell me a story.')}\n`);
} catch (error) {
  const { data, message } = error as { data?: { details?: string }; message: string };
  if (error instanceof CancelledError) process.stdout.write('\n── cancelled\n');
  else process.stderr.write(`\nfailed: ${data?.details ?? message}\n`);
  if (!(error instanceof CancelledError)) process.exitCode = 1;
}
connection.close();
await acp.close();
