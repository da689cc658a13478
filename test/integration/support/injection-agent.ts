/**
 * An agent that streams to a terminal through the output gate, with a key that opens a line for its running turn.
 * Started in a pseudo-terminal; `MODEL_URL` says where the model is.
 */
import Anthropic from '@anthropic-ai/sdk';

import { foldAnthropic, readStream } from '../../../src/adapters/llm/index.ts';
import { createOutputGate, watchInjection, watchTerminal } from '../../../src/adapters/terminal/index.ts';
import {
  InterruptController,
  interruptedLine,
  PRIORITY_INSTRUCTION,
  priorityMessage,
  type Interjection,
} from '../../../src/index.ts';
import { anthropic } from '../../../src/transcript/dialects/anthropic/index.ts';
import { messageWriter } from '../../../src/transcript/index.ts';

const client = new Anthropic({ baseURL: process.env['MODEL_URL'], apiKey: 'none', maxRetries: 0 });
const agent = new InterruptController({ name: 'Ada' });
const terminal = watchTerminal(agent);
const output = createOutputGate();
const injection = watchInjection(terminal, agent, {
  output,
  onUndelivered: (text) => {
    output.writeLine(`<back ${text}>`);
  },
});
agent.onEvent((event) => {
  if (event.type === 'interjection-delivered') output.writeLine('<delivered>');
  if (event.type === 'interrupt-requested' && event.kind !== 'interjection') output.writeLine(interruptedLine('Ada'));
});

type Message = Anthropic.MessageParam;
const asUser = ({ message }: Interjection<string>): Message => ({ role: 'user', content: priorityMessage(message) });
const messages: Message[] = [{ role: 'user', content: 'Go.' }];

output.writeLine('<ready>');
const report = await agent.runTurn(async (turn) => {
  const screen = output.stream(turn.token);
  for (;;) {
    let shown = 0;
    const reply = await turn.model(({ token, readInterjections }) => {
      const body = {
        model: 'scripted',
        max_tokens: 500,
        stream: true as const,
        system: PRIORITY_INSTRUCTION,
        messages: [...messages, ...readInterjections().map(asUser)],
      };
      return readStream(token, ({ signal }) => client.messages.create(body, { signal }), {
        fold: foldAnthropic,
        onProgress: ({ text }) => {
          screen.write(text.slice(shown));
          shown = text.length;
        },
      });
    });
    screen.write('\n');
    messages.push(...reply.delivered.map(asUser), ...messageWriter<Message>(anthropic).reply(reply));
    const outcomes = await turn.tools(anthropic.calls(reply), () => 'done');
    messages.push(...messageWriter<Message>(anthropic).toolResults(outcomes));
    if (reply.status === 'completed' && outcomes.length === 0 && !turn.hasInterjections) return;
  }
});
output.writeLine(`<${report.status}>`);
injection.release();
output.close();
await terminal.close();
