/** The real client of Ollama against a scripted server: what an interrupted loop leaves is what its next request holds. */
import { afterEach, describe, expect, it } from 'vitest';

import { foldOllama, readStream } from '../../src/adapters/llm/index.ts';
import { InterruptController } from '../../src/index.ts';
import { startModelServer, type ModelScript, type ModelServer } from '../../src/testing/model-server/index.ts';
import { ollama } from '../../src/transcript/dialects/ollama/index.ts';
import { runTool } from '../transcript/support/run-tool.ts';
import { majors } from './majors.ts';
import { repairReport } from '../transcript/support/repair-report.ts';
import { messageWriter } from '../../src/transcript/index.ts';

type Message = import('ollama').Message;

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: `ollama ${major.version('ollama')}`,
    sdk: await major.load<typeof import('ollama')>('ollama'),
  })),
);

let server: ModelServer;
afterEach(() => server.close());

const batch = {
  thinking: 'I should look first.',
  text: 'One moment.',
  toolCalls: ['done', 'running', 'done', 'queued'].map((name) => ({ name, input: { of: name } })),
};

describe.each(loaded)('$name', ({ sdk }) => {
  /** A client of a server that gives calls ids, as newer ones do, or gives none. */
  async function clientOf(script: ModelScript, givesIds: boolean) {
    server = await startModelServer({ script });
    const withoutIds: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init);
      return new Response((await answer.text()).replace(/"id":"call_[^"]*",/g, ''), answer);
    };
    return new sdk.Ollama({ host: server.url, ...(givesIds ? {} : { fetch: withoutIds }) });
  }

  it.each([true, false])('S17 a batch in four states goes on; the server gives ids: %s', async (givesIds) => {
    const client = await clientOf([batch, 'Understood.'], givesIds);
    const agent = new InterruptController({ name: 'main', graceMs: 20 });
    const messages: Message[] = [{ role: 'user', content: 'Go.' }];
    const report = await agent.runTurn(async (turn) => {
      const reply = await turn.model(({ signal }) =>
        readStream(signal, () => client.chat({ model: 'm', messages, stream: true }), { fold: foldOllama }),
      );
      messages.push(...messageWriter<Message>(ollama).reply(reply));
      const calls = ollama.calls(reply);
      expect(new Set(calls.map(({ id }) => id)).size).toBe(4);
      const ran = turn.tools(calls, (call, context) =>
        runTool(call.name === 'queued' ? 'asking' : call.name, context, () => agent.cancel()),
      );
      messages.push(...messageWriter<Message>(ollama).toolResults(await ran));
    });
    expect(report.status).toBe('cancelled');
    const settled = repairReport(messages, report, { dialect: ollama }).messages;
    expect(ollama.check(settled)).toEqual([]);
    settled.push({ role: 'user', content: 'Again.' });
    const next = await client.chat({ model: 'm', messages: settled });
    expect(next.message.content).toBe('Understood.');
    const sent = server.requests[1]?.body['messages'] as (Message & { tool_call_id?: string })[];
    const results = sent.filter(({ role }) => role === 'tool');
    expect(results.map(({ tool_name }) => tool_name)).toEqual(['done', 'running', 'done', 'queued']);
    expect(results.map(({ content }) => content)).toEqual([
      '{"files":2}',
      expect.stringMatching(/may still complete|stopped part-way/) as string,
      '{"files":2}',
      expect.stringContaining('the user cancelled') as string,
    ]);
    expect(results.map(({ tool_call_id: id }) => id !== undefined)).toEqual([1, 2, 3, 4].map(() => givesIds));
  });

  it('S18 words that were cut are in the next request, with a mark', async () => {
    const client = await clientOf([{ text: 'one two three', silentAfter: 2 }, 'Understood.'], true);
    const agent = new InterruptController({ name: 'main', graceMs: 20 });
    const messages: Message[] = [{ role: 'user', content: 'Go.' }];
    const running = agent.runTurn((turn) =>
      turn.model(({ signal, partial }) =>
        readStream(signal, () => client.chat({ model: 'm', messages, stream: true }), {
          fold: foldOllama,
          onProgress: partial,
        }),
      ),
    );
    await server.waitFor(({ requests }) => requests[0]?.deltasWritten === 2);
    await new Promise((resolve) => setTimeout(resolve, 30));
    agent.cancel('user');
    const settled = repairReport(messages, await running, { dialect: ollama }).messages;
    expect(settled[1]?.content).toBe('one two\n\n[This reply was cut off before its end: the user cancelled.]');
    expect((await client.chat({ model: 'm', messages: settled })).message.content).toBe('Understood.');
  });
});
