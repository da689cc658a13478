/**
 * A whole agent loop, as short as it gets: the model streams, its tools run, a person's message is told once, and what a
 * stop left behind can be sent again.
 */
import Anthropic from '@anthropic-ai/sdk';
import { InterruptController } from 'desist';
import { foldAnthropic, readStream } from 'desist/llm';
import { deafTool, startModelServer } from 'desist/testing';
import { Conversation } from 'desist/transcript';
import { anthropic } from 'desist/transcript/anthropic';

const server = await startModelServer({
  script: [
    { text: 'I will install with npm, as always.', chunkMs: 20 },
    { text: 'With pnpm, then.', toolCalls: [{ name: 'install', input: {} }] },
    { text: 'Now the index.', toolCalls: [{ name: 'index', input: {} }] },
    { text: 'It is there after all.' },
  ],
});
const client = new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
const agent = new InterruptController({ name: 'main', graceMs: 20 });

const index = deafTool<unknown, string>();
function runTool(name: string): string | Promise<string> {
  if (name === 'install') return 'installed';
  setTimeout(() => agent.cancel(), 5); // the person presses ESC
  return index.execute(name);
}

const chat = new Conversation<Anthropic.MessageParam>(anthropic);

async function prompt(text: string): Promise<void> {
  chat.late(agent.takeLateOutcomes());
  const report = await chat.runTurn(agent, text, async (turn) => {
    for (;;) {
      const reply = await turn.model(({ messages, token, partial }) => {
        const body = { model: 'scripted', max_tokens: 500, stream: true as const, messages };
        return readStream(token, ({ signal }) => client.messages.create(body, { signal }), {
          fold: foldAnthropic,
          onProgress: (said) => {
            partial(said);
            if (!said.text.startsWith('I will install with npm')) return;
            agent.interject('use pnpm', { delivery: 'now' });
          },
        });
      });
      await turn.tools(reply.calls, ({ name }) => runTool(name));
      if (reply.isLast) return;
    }
  });
  console.log(
    report.status,
    report.calls.map((call) => `${call.name}: ${call.status}`),
    report.stop?.abandoned ?? [],
  );
}

await prompt('Set up the project.');
index.calls[0]?.finish('indexed');
await new Promise((resolve) => setImmediate(resolve));
await prompt('And now?');
for (const { role, content } of chat.messages) {
  const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
  for (const block of blocks) {
    if (block.type === 'text') console.log(`${role}: ${block.text}`);
    else console.log(`${role}: (${block.type})`);
  }
}
console.log(server.requests.length, 'requests, all of them legal');
await server.close();

// Output:
// cancelled [ 'install: completed', 'index: unknown' ] [ 'index' ]
// completed [] []
// user: Set up the project.
// assistant: I will install with npm,
// assistant: [This reply was cut off before its end: a newer message came first.]
// user: [PRIORITY USER MESSAGE]: use pnpm
// assistant: With pnpm, then.
// assistant: (tool_use)
// user: (tool_result)
// assistant: Now the index.
// assistant: (tool_use)
// user: (tool_result)
// user: [The earlier call index (toolu_3_1), which had not reacted to the stop, has completed since. Its effects are real: do not repeat it. Result: indexed]
// user: And now?
// assistant: It is there after all.
// 4 requests, all of them legal
