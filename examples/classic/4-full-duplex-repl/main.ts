/** A chat in a terminal that hears a person while it streams: a backtick opens a line, ESC ESC or Ctrl+C stops. */
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type Anthropic from '@anthropic-ai/sdk';
import { InterruptController, PRIORITY_INSTRUCTION, type ToolContext } from 'desist';
import { foldAnthropic, readStream } from 'desist/llm';
import { createOutputGate, suspendOnCtrlZ, watchTerminal } from 'desist/terminal';
import { Conversation, type ConversationTurn, type TranscriptCall } from 'desist/transcript';
import { anthropic } from 'desist/transcript/anthropic';
import type { Writable } from 'node:stream';
import { openModel } from './model.ts';

type Message = Anthropic.MessageParam;

if (!process.stdin.isTTY || !process.stdout.isTTY) {
  process.stderr.write('a conversation needs a terminal\n');
  process.exit(2);
}

/** `INJECT=off`: the same program without the line to the agent. */
const isFullDuplex = process.env['INJECT'] !== 'off';
const { client, name, close } = await openModel(process.env);
const agent = new InterruptController({ name: 'main', graceMs: 100 });
const output = createOutputGate();
/** What came too late for this turn is the next prompt. */
const late: string[] = [];
/** Shows an open prompt again. */
let redraw: (() => void) | undefined;
const terminal = watchTerminal(agent, {
  keepAlive: true,
  escape: 'double',
  onLeaveArmed: (armed) => {
    if (!armed || redraw === undefined) return;
    process.stdout.write('\nCtrl+C again leaves\n');
    redraw();
  },
  onEscapeArmed: (next) => {
    if (next === 'cancel') output.writeLine('ESC again to cancel.');
  },
  ...(isFullDuplex && { inject: { output, onUndelivered: (text) => void late.push(text) } }),
});
agent.onEvent((event) => {
  if (event.type === 'interrupt-requested' && event.kind === 'cancel') output.writeLine('Cancelled.');
});

const tools: Anthropic.Tool[] = [
  { name: 'work', description: 'Works on one step.', input_schema: { type: 'object', properties: {} } },
  { name: 'explore', description: 'Gives a task to a sub-agent.', input_schema: { type: 'object', properties: {} } },
];

/** The loop: a message typed meanwhile is in `messages` of the next model call. */
async function loop(turn: ConversationTurn<Message>, screen: Writable): Promise<void> {
  for (;;) {
    const reply = await turn.model(({ messages, token, partial }) => {
      const body = {
        model: name,
        max_tokens: 4096,
        ...(isFullDuplex && { system: PRIORITY_INSTRUCTION }),
        tools,
        stream: true as const,
        messages,
      };
      let shown = 0;
      return readStream(token, ({ signal }) => client.messages.create(body, { signal }), {
        fold: foldAnthropic,
        onProgress: (sofar) => {
          partial(sofar);
          screen.write(sofar.text.slice(shown));
          shown = sofar.text.length;
        },
      });
    });
    screen.write('\n');
    await turn.tools(reply.calls, (call, context) => runTool(call, context, screen));
    if (reply.isLast) return;
  }
}

/** A sub-agent runs the same loop; the other tool is a library's: it looks at no signal, and prints on. */
async function runTool(call: TranscriptCall, { subagent }: ToolContext, screen: Writable): Promise<string> {
  if (call.name === 'explore') {
    const explorer = subagent('explorer');
    const own = new Conversation<Message>(anthropic);
    const { status } = await own.runTurn(explorer, 'explore', (turn) => loop(turn, screen));
    return status;
  }
  if (call.name !== 'work') throw new TypeError(`there is no tool ${call.name}`);
  const { steps = 10 } = call.input as { steps?: number };
  for (let step = 1; step <= steps; step++) {
    screen.write(`  step ${String(step)} of ${String(steps)}\n`);
    await sleep(100);
  }
  return 'done';
}

/** A line to the agent that is still open has the keyboard: the prompt comes behind it, and may find it as its answer. */
function readPrompt(): Promise<string | undefined> {
  return terminal.prompt(async () => {
    const undelivered = late.shift();
    if (undelivered !== undefined) return undelivered;
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await new Promise<string | undefined>((resolve) => {
        lines.once('close', () => resolve(undefined));
        suspendOnCtrlZ(lines);
        // readline would close at the first Ctrl+C; the terminal has a rule for it.
        lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
        redraw = () => lines.prompt(true);
        const typed: string[] = [];
        lines.on('line', (line) => {
          // Lines that are pasted come together, and are one message.
          if (typed.push(line) === 1) setTimeout(() => resolve([...typed, lines.line].join('\n').trim()), 20);
        });
        lines.setPrompt('you> ');
        lines.prompt();
      });
    } finally {
      redraw = undefined;
      lines.close();
    }
  });
}

output.writeLine(
  'While it works: ` opens a line to it · ESC ESC or Ctrl+C cancels · Ctrl+C twice, or an empty line, leaves',
);
const chat = new Conversation<Message>(anthropic);
for (;;) {
  const line = await readPrompt();
  if (line === undefined || line.trim() === '') break;
  const report = await chat.runTurn(agent, line, (turn) => loop(turn, output.stream(turn.token)));
  if (report.status === 'failed') {
    output.writeLine(`The turn failed: ${report.error instanceof Error ? report.error.message : String(report.error)}`);
  }
}
output.close();
await terminal.close();
await agent.close();
await close();
