import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';

import { foldAnthropic, foldOpenAIChat, readStream } from '../../src/adapters/llm/index.ts';
import { InterruptController } from '../../src/core/interrupt/controller.ts';
import { startModelServer, type ModelScript, type ModelServer } from '../../src/testing/model-server/index.ts';
import { signThought } from '../../src/testing/model-server/transcript-rules/thought-signature.ts';
import { repair, messageWriter } from '../../src/transcript/index.ts';
import { repairReport } from '../transcript/support/repair-report.ts';
import { runTool } from '../transcript/support/run-tool.ts';
import { anthropic as anthropicDialect } from '../../src/transcript/dialects/anthropic/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';

/** The server refuses what the providers would refuse, by rules that were written apart from the repair. */
let server: ModelServer;
afterEach(() => server.close());

async function start(script: ModelScript): Promise<{ anthropic: Anthropic; openai: OpenAI }> {
  server = await startModelServer({ script });
  return {
    anthropic: new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 }),
    openai: new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 }),
  };
}

const path = 'a long path '.repeat(20);
const batch = {
  text: 'On it.',
  thinking: 'They want four things.',
  toolCalls: ['done', 'running', 'asking', 'queued'].map((name) => ({ name, id: name, input: { path } })),
};

describe('S12 S17 a batch cancelled in a turn, sent on with the real SDK', () => {
  it('anthropic', async () => {
    const { anthropic } = await start([batch, 'Understood.']);
    const agent = new InterruptController({ name: 'main', graceMs: 20 });
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Go.' }];
    const report = await agent.runTurn(async (turn) => {
      const reply = await turn.model(({ signal, partial }) =>
        readStream(signal, (context) => anthropic.messages.stream({ model: 'm', max_tokens: 9, messages }, context), {
          fold: foldAnthropic,
          onProgress: partial,
        }),
      );
      if (reply.status !== 'completed') return;
      messages.push(reply.value.message);
      await turn.tools(reply.value.calls.slice(0, 3), (call, context) =>
        runTool(call.name, context, () => agent.cancel()),
      );
      await turn.tools(reply.value.calls.slice(3), (call, context) => runTool(call.name, context, () => undefined));
    });
    expect(report.calls.map((row) => row.status)).toEqual(['completed', 'unknown', 'not-started', 'not-started']);

    const next: Anthropic.MessageParam = { role: 'user', content: 'What now?' };
    const send = (history: Anthropic.MessageParam[]) =>
      anthropic.messages.create({ model: 'm', max_tokens: 9, messages: [...history, next] });
    await expect(send(messages)).rejects.toThrow(/tool_use.*without.*tool_result/);
    const settled = repairReport(messages, report, { dialect: anthropicDialect });
    expect((await send(settled.messages)).content).toMatchObject([{ text: 'Understood.' }]);
    const results = settled.messages[2]?.content as Anthropic.ToolResultBlockParam[];
    expect(results.map((one) => one.tool_use_id)).toEqual(['done', 'running', 'asking', 'queued']);
    expect(results[0]).toMatchObject({ content: '{"files":2}' });
    expect(results[1]?.content).toMatch(/the user cancelled.*Do not retry.*Output so far:\n3 of 9 lines/s);
    // One that was only asked about had not begun either.
    expect(results[2]?.content).toBe(results[3]?.content);
    expect(new Set(results.map((one) => one.content)).size).toBe(3);
  });

  it('openai-chat', async () => {
    const { openai } = await start([batch, 'Understood.']);
    const agent = new InterruptController({ name: 'main', graceMs: 20 });
    const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Go.' }];
    const report = await agent.runTurn(async (turn) => {
      const reply = await turn.model(({ signal }) =>
        readStream(
          signal,
          (context) => openai.chat.completions.create({ model: 'm', messages, stream: true }, context),
          {
            fold: foldOpenAIChat,
          },
        ),
      );
      if (reply.status !== 'completed') return;
      messages.push(reply.value.message);
      await turn.tools(reply.value.calls.slice(0, 3), (call, context) =>
        runTool(call.function.name, context, () => agent.cancel()),
      );
    });

    const next: OpenAI.ChatCompletionMessageParam = { role: 'user', content: 'What now?' };
    const send = (history: OpenAI.ChatCompletionMessageParam[]) =>
      openai.chat.completions.create({ model: 'm', messages: [...history, next] });
    await expect(send(messages)).rejects.toThrow(/tool_call/);
    const settled = repairReport(messages, report, { dialect: openaiChat });
    expect((await send(settled.messages)).choices[0]?.message.content).toBe('Understood.');
    // The fourth call has no row: nobody knows.
    expect(settled.messages.at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'queued', content: /may have run/ });
  });
});

describe('S18 a reply cut anywhere, sent on with the real SDK', () => {
  // Thinking, text and one call go out in four deltas each; after the twelfth only the end of the call is missing.
  const cuts = [0, 1, 3, 4, 5, 7, 8, 9, 11, 12];

  it.each(cuts)('anthropic: what the SDK itself had accumulated after %i deltas', async (silentAfter) => {
    const { anthropic } = await start([
      { ...batch, toolCalls: batch.toolCalls.slice(0, 1), chunks: 4, silentAfter },
      'Understood.',
    ]);
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Go.' }];
    const stream = anthropic.messages.stream({ model: 'm', max_tokens: 9, messages });
    const ended = stream.done().catch(() => undefined);
    const value = await new Promise<Anthropic.Message>((resolve) => {
      let deltas = 0;
      stream.on('streamEvent', (event, snapshot) => {
        if (event.type === 'content_block_delta' && event.delta.type !== 'signature_delta') deltas += 1;
        if (deltas === silentAfter) resolve({ ...snapshot, content: [...snapshot.content] });
      });
    });
    stream.abort();
    await ended;

    const reason = { kind: 'user', message: 'User cancelled', at: 1 } as const;
    const said = messageWriter(anthropicDialect).reply({ status: 'interjected', partial: value, reason });
    const settled = repair([...messages, ...said] as Anthropic.MessageParam[], { dialect: anthropicDialect });
    expect(settled.changes).toEqual([]);
    const sent = [...settled.messages, { role: 'user' as const, content: 'Go on.' }];
    await expect(anthropic.messages.create({ model: 'm', max_tokens: 9, messages: sent })).resolves.toBeDefined();
    expect(JSON.stringify(settled.messages).includes('"tool_use"')).toBe(silentAfter === 12);
    expect(JSON.stringify(settled.messages).includes('"thinking"')).toBe(silentAfter > 4);
  });

  it('the partial of a turn: text kept and marked, unfinished reasoning gone', async () => {
    const { anthropic } = await start([{ ...batch, toolCalls: [], chunks: 4, silentAfter: 6 }, 'Understood.']);
    const agent = new InterruptController({ name: 'main', graceMs: 20 });
    const messages: Anthropic.MessageParam[] = [{ role: 'user', content: 'Go.' }];
    const report = await agent.runTurn((turn) =>
      turn.model(({ signal, partial }) =>
        readStream(signal, (context) => anthropic.messages.stream({ model: 'm', max_tokens: 9, messages }, context), {
          fold: foldAnthropic,
          onProgress(value) {
            partial(value);
            if (value.text !== '') agent.cancel();
          },
        }),
      ),
    );
    expect(report.status).toBe('cancelled');
    const settled = repairReport(messages, report, { dialect: anthropicDialect });
    expect(settled.messages[1]).toMatchObject({
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: batch.thinking, signature: signThought('1', batch.thinking) },
        { type: 'text', text: expect.stringMatching(/^On?/) },
        { type: 'text', text: '[This reply was cut off before its end: the user cancelled.]' },
      ],
    });
  });
});
