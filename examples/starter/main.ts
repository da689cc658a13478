/** The program: `node main.ts [--resume] [--mcp COMMAND]`. ESC stops what runs, Ctrl+C too and then leaves. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import OpenAI from 'openai';
import { interruptedLine } from 'desist';
import { suspendOnCtrlZ, watchTerminal } from 'desist/terminal';
import { createAgent, type Message } from './agent.ts';
import { mcpTools, shell } from './tools.ts';

const { values: options } = parseArgs({
  options: { resume: { type: 'boolean', default: false }, mcp: { type: 'string' } },
});
const file = '.starter.json';
const stored = options.resume && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Message[]) : [];

const [command, ...args] = options.mcp?.split(' ') ?? [];
const server = command === undefined ? undefined : await mcpTools(command, args);
const { agent, ask } = createAgent({
  client: new OpenAI(),
  model: process.env['MODEL'] ?? 'gpt-5',
  tools: { shell, ...server?.tools },
  messages: stored,
  save: (messages) => writeFileSync(file, JSON.stringify(messages)),
  show: (text) => console.log(text),
});
const terminal = watchTerminal(agent);

/** `undefined` after Ctrl+D, and at the end of the input. */
function readLine(): Promise<string | undefined> {
  return terminal.prompt(
    () =>
      new Promise((resolve) => {
        const lines = createInterface({ input: process.stdin, output: process.stdout });
        suspendOnCtrlZ(lines); // readline alone stops Node, and not what has started it
        lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT')); // the watcher counts each Ctrl+C
        lines.on('close', () => resolve(undefined));
        lines.question('> ', (line) => {
          resolve(line);
          lines.close();
        });
      }),
  );
}

for (;;) {
  const line = await readLine();
  if (line === undefined) break;
  if (line.trim() === '') continue;
  const report = await ask(line);
  if (report.status === 'failed') console.error(String(report.error));
  if (report.status !== 'cancelled') continue;
  console.log(interruptedLine(agent.name));
  const { abandoned = [] } = report.stop ?? {};
  if (abandoned.length > 0) console.log(`Still running: ${abandoned.join(', ')}.`);
}
await server?.close();
await terminal.close();
