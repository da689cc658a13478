/** The main loop: a line, an answer, and ESC at any moment, from the terminal or from wherever the window is in front. */
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { watchGlobalHotkey } from 'desist/global-hotkey';
import { watchTerminal } from 'desist/terminal';
import { Agent } from './agent.ts';
import { InputManager } from './input.ts';
import { openModel } from './model.ts';
import { SessionManager } from './session.ts';
import { search, shell, ToolManager } from './tools.ts';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

if (!process.stdin.isTTY) {
  process.stderr.write('a conversation needs a terminal\n');
  process.exit(2);
}
process.stdout.once('error', () => process.exit(1)); // nobody reads it any more

const session = new SessionManager('main', process.env['SESSION_FILE']);
const model = await openModel(process.env);
const mcp = new Client({ name: 'global-esc-monitor', version: '1.0.0' });
const script = fileURLToPath(new URL('../../agent/mcp-server.ts', import.meta.url));
await mcp.connect(new StdioClientTransport({ command: process.execPath, args: [script], stderr: 'ignore' }));

const tools = new ToolManager({ shell: { subprocess: shell }, search: search(mcp) });
const agent = new Agent(tools, model);

const front = () => session.front;
const terminal = watchTerminal(session.registry, {
  front,
  keepAlive: true,
  onLeaveArmed: (armed) => {
    if (armed && input.isWaitingInput) input.notice('Ctrl+C again leaves');
  },
});
const hotkey = watchGlobalHotkey(session.registry, { front });
const input = new InputManager(terminal);
if ((await hotkey.ready) === 'unavailable') say(`(${hotkey.unavailable?.message ?? ''})`);
if (session.resumed) say(`Session resumed, ${String(session.messages.length)} messages`);

for (;;) {
  const line = await input.ask('> ');
  if (line === null || line === '') break;
  if (line === undefined) {
    session.pause();
    say('Session paused');
    continue;
  }
  say('Thinking…');
  const { ended } = session.startExecution(line, (turn) => agent.run(turn));
  const report = await ended;
  if (report.status === 'completed') say(report.value);
  else if (report.status === 'failed') say(`failed: ${String(report.error)}`);
  else say(`Operation cancelled\n${JSON.stringify(session.log.at(-1))}`);
}
session.pause();
await Promise.all([hotkey.stop(), terminal.close(), mcp.close(), model.close()]);
