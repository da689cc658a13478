/** A chat in a terminal whose model client blocks its thread, and that ESC stops all the same. */
import { createInterface } from 'node:readline';
import { DeadlineExceededError, InterruptController } from 'desist';
import { createOutputGate, suspendOnCtrlZ, watchTerminal } from 'desist/terminal';
import { Conversation } from 'desist/transcript';
import { anthropic } from 'desist/transcript/anthropic';
import { runBlocking } from 'desist/worker';
import type { Message } from './blocking-client.ts';
import { openModel } from './model.ts';
import { showProgress } from './progress.ts';

const CLIENT = new URL('blocking-client.ts', import.meta.url);

/** Seconds that an answer may take; `LIMIT` in the environment changes it. */
const limitMs = (Number(process.env['LIMIT']) || 60) * 1000;

if (!process.stdin.isTTY || !process.stdout.isTTY) {
  process.stderr.write('a conversation needs a terminal\n');
  process.exit(2);
}

const model = await openModel(process.env);
const agent = new InterruptController({ name: 'main' });
const output = createOutputGate();
/** Shows an open prompt again. */
let redraw: (() => void) | undefined;
const terminal = watchTerminal(agent, {
  keepAlive: true,
  crashGuard: true,
  onLeaveArmed: (armed) => {
    if (!armed || redraw === undefined) return;
    process.stdout.write('\nCtrl+C again leaves\n');
    redraw();
  },
});
const chat = new Conversation<Message>(anthropic);

agent.onEvent((event) => {
  if (event.type === 'interrupt-requested' && event.kind === 'cancel')
    output.writeLine('Cancelled. Your message is back in the input.');
});

/** One line; `undefined` when the person leaves. What a stop gave back stands in it, to be changed or sent again. */
function readPrompt(draft: string): Promise<string | undefined> {
  return terminal.prompt(async () => {
    const lines = createInterface({ input: process.stdin, output: process.stdout });
    try {
      return await new Promise<string | undefined>((resolve) => {
        lines.once('close', () => resolve(undefined));
        suspendOnCtrlZ(lines);
        // readline would close at the first Ctrl+C; the terminal has a rule for it.
        redraw = () => lines.prompt(true);
        lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));
        const typed: string[] = [];
        lines.on('line', (line) => {
          // Lines that are pasted come together, and are one message.
          if (typed.push(line) === 1) setTimeout(() => resolve([...typed, lines.line].join('\n').trim()), 20);
        });
        lines.setPrompt('you> ');
        lines.prompt();
        lines.write(draft.replaceAll('\n', ' ')); // a line feed would send it
      });
    } finally {
      redraw = undefined;
      lines.close();
    }
  });
}

/** One turn; returns what belongs into the input again. */
async function answer(prompt: string): Promise<string> {
  const report = await chat.runTurn(agent, prompt, async (turn) => {
    using progress = showProgress(output);
    turn.token.onCancelled(progress.release); // at once, and not when the request is gone
    const reply = await turn.model(
      ({ messages, token }) => {
        const call = { ...model.address, messages };
        return runBlocking<string>(token, CLIENT, [call], { graceMs: 500, guardian: true });
      },
      { timeoutMs: limitMs },
    );
    return reply.status === 'completed' ? reply.value : '';
  });
  if (report.status === 'completed') {
    output.writeLine(report.value);
    return '';
  }
  if (report.status === 'failed') output.writeLine(explain(report.error));
  if (report.stop !== undefined) output.writeLine(`(stopped in ${Math.round(report.stop.settledMs)} ms)`);
  return chat
    .drop(report)
    .map(({ content }) => content)
    .join('\n');
}

function explain(error: unknown): string {
  if (error instanceof DeadlineExceededError) {
    return `No answer within ${limitMs / 1000} s: the request was ended. Your message is back in the input.`;
  }
  return `The request failed: ${error instanceof Error ? error.message : String(error)}`;
}

output.writeLine('ESC cancels a request · Ctrl+C twice, or an empty line, leaves');
let draft = '';
for (;;) {
  const line = await readPrompt(draft);
  if (line === undefined || line === '') break;
  draft = await answer(line);
}
output.close();
await terminal.close();
await agent.close();
await model.close();
