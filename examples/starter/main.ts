/** The program: `node main.ts [--resume] [--mcp COMMAND]`. ESC stops what runs, Ctrl+C too and then leaves. */
import { parseArgs } from 'node:util';
import OpenAI from 'openai';
import { interruptedLine } from 'desist';
import { watchTerminal } from 'desist/terminal';
import { createAgent } from './agent.ts';
import { lineReader } from './lines.ts';
import { openStore } from './store.ts';
import { mcpTools, shell } from './tools.ts';

const { values: options } = parseArgs({
  options: { resume: { type: 'boolean', default: false }, mcp: { type: 'string' } },
});
if (!process.env['OPENAI_API_KEY']) {
  console.error('OPENAI_API_KEY is not set; any text will do for a server (OPENAI_BASE_URL) that asks for no key.');
  process.exit(1);
}
const store = openStore(options.resume);
const server = options.mcp === undefined ? undefined : await mcpTools(options.mcp);
const { agent, ask } = createAgent({
  client: new OpenAI(),
  model: process.env['MODEL'] ?? 'gpt-5',
  tools: { shell, ...server?.tools },
  messages: store.messages,
  save: (messages) => store.save(messages),
  show: (text) => process.stdout.write(text),
});
const terminal = watchTerminal(agent, {
  onLeaveArmed: (isArmed) => isArmed && console.log('\nCtrl+C again to leave'),
});
const readLine = lineReader(terminal);

for (let line = await readLine(); line !== undefined; line = await readLine()) {
  if (line.trim() === '') continue;
  const report = await ask(line);
  console.log();
  if (report.status === 'failed') {
    console.error(String(report.error));
    process.exitCode = 1;
  }
  if (report.status !== 'cancelled') continue;
  console.log(interruptedLine(agent.name));
  const { abandoned = [] } = report.stop ?? {};
  if (abandoned.length > 0) console.log(`Still running: ${abandoned.join(', ')}.`);
}
await server?.close();
await terminal.close();
