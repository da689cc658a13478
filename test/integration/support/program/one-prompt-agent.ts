/**
 * An agent that takes one prompt, hears SIGINT, and goes on as if nothing were; a daemon of it has no environment. With `GAP=reply` it gives up
 * its reply, and never ends.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import process from 'node:process';

interface Message {
  readonly content?: string;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[];
}

const request = new AbortController();
process.on('SIGINT', () => {
  if (process.env['GAP'] === 'reply') request.abort();
});
setInterval(() => undefined, 1000);
// Elsewhere nobody could find it to end it.
if (process.platform === 'linux') spawn('sleep', ['600'], { env: {}, detached: true, stdio: 'ignore' }).unref();

const parameters = { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] };
const tools = [{ type: 'function', function: { name: 'bash', parameters } }];
const messages: object[] = [{ role: 'user', content: process.argv[2] }];

async function run(command: string): Promise<string> {
  const shell = spawn('sh', ['-c', command], { detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  shell.stdout.on('data', (data: Buffer) => (said += String(data)));
  await once(shell, 'close');
  return said;
}

async function ask(): Promise<Message | undefined> {
  const body = JSON.stringify({ model: 'm', messages, tools });
  const { signal } = request;
  const response = await fetch(`${process.env['OPENAI_BASE_URL'] ?? ''}/chat/completions`, { method: 'POST', body, signal }); // prettier-ignore
  const { choices } = (await response.json()) as { readonly choices: readonly { readonly message: Message }[] };
  return choices[0]?.message;
}

for (;;) {
  const message = await ask().catch(() => undefined);
  if (message === undefined) await new Promise(() => undefined);
  messages.push(message ?? {});
  if (message?.tool_calls === undefined) process.exit(0);
  for (const { id, function: given } of message.tool_calls) {
    const { command } = JSON.parse(given.arguments) as { readonly command: string };
    messages.push({ role: 'tool', tool_call_id: id, content: await run(command) });
  }
}
