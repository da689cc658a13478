/**
 * The loop of the front door with the real SDKs against a scripted provider that refuses what real ones refuse.
 */
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';

import { foldAnthropic, foldOpenAIChat, readStream } from '../../src/adapters/llm/index.ts';
import {
  InterruptController,
  priorityMessage,
  type CancellationToken,
  type ToolOutcome,
  type TurnReport,
} from '../../src/index.ts';
import { startModelServer, type ModelScript, type ModelServer } from '../../src/testing/model-server/index.ts';
import { repairReport } from '../transcript/support/repair-report.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';

/** Generous on a machine that does other things; a stop that waited would take ten seconds. */
const SOON_MS = 500;
const words = Array.from({ length: 200 }, (_, index) => `word${String(index)}`).join(' ');

let server: ModelServer;

afterEach(() => server.close());

interface Seen {
  message: unknown;
  text: string;
}

type Messages = { role: string }[];

/** The two providers behind one face. */
interface Provider {
  /** Streams a reply; tells what has come so far. */
  read(messages: Messages, token: CancellationToken, onProgress: (reply: Seen) => void): Promise<Seen>;
  calls(message: unknown): readonly { readonly id: string }[];
  results(outcomes: readonly ToolOutcome[]): Messages;
  settle(messages: Messages, report: TurnReport<unknown>): Messages;
}

const textOf = (outcome: ToolOutcome): string =>
  outcome.status === 'completed' ? String(outcome.value) : outcome.status;

const providers: Record<string, () => Provider> = {
  anthropic: () => {
    const client = new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
    return {
      read: (messages, token, onProgress) =>
        readStream(
          token,
          ({ signal }) =>
            client.messages.create(
              { model: 'm', max_tokens: 99, messages: messages as never, stream: true },
              { signal },
            ),
          { fold: foldAnthropic, onProgress },
        ),
      calls: (message) =>
        (message as { content: { type: string; id: string }[] }).content.filter(({ type }) => type === 'tool_use'),
      results: (outcomes) => [
        {
          role: 'user',
          content: outcomes.map((one) => ({ type: 'tool_result', tool_use_id: one.id, content: textOf(one) })),
        } as never,
      ],
      settle: (messages, report) => repairReport(messages as never, report, { dialect: anthropic }).messages,
    };
  },
  openai: () => {
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 });
    return {
      read: (messages, token, onProgress) =>
        readStream(
          token,
          ({ signal }) =>
            client.chat.completions.create({ model: 'm', messages: messages as never, stream: true }, { signal }),
          { fold: foldOpenAIChat, onProgress },
        ),
      calls: (message) => (message as { tool_calls?: { id: string }[] }).tool_calls ?? [],
      results: (outcomes) =>
        outcomes.map((one) => ({ role: 'tool', tool_call_id: one.id, content: textOf(one) }) as never),
      settle: (messages, report) => repairReport(messages as never, report, { dialect: openaiChat }).messages,
    };
  },
};

/** A conversation that is carried over its turns. */
async function converse(name: string, script: ModelScript) {
  server = await startModelServer({ script });
  const provider = (providers[name] as () => Provider)();
  const agent = new InterruptController({ name: 'main', graceMs: 20 });
  let messages: Messages = [];
  const prompt = async (
    text: string,
    run: (id: string, signal: AbortSignal) => unknown = () => 'done',
    onProgress: (text: string) => void = () => undefined,
  ): Promise<TurnReport<string>> => {
    messages.push({ role: 'user', content: text } as never);
    const report = await agent.runTurn(async (turn) => {
      for (;;) {
        const reply = await turn.model(({ token, partial }) =>
          provider.read(messages, token, (seen) => {
            partial(seen);
            onProgress(seen.text);
          }),
        );
        const cut = reply.status === 'interjected';
        const seen = cut ? (reply.partial as Seen | undefined) : reply.value;
        if (seen?.message !== undefined && seen.message !== null && seen.text !== '')
          messages.push(seen.message as never);
        else if (!cut) messages.push(seen?.message as never);
        const outcomes = await turn.tools(cut ? [] : provider.calls(seen?.message), ({ id }, { signal }) =>
          run(id, signal),
        );
        if (outcomes.length > 0) messages.push(...provider.results(outcomes));
        const news = turn.takeInterjections();
        messages.push(...news.map(({ message }) => ({ role: 'user', content: priorityMessage(message) }) as never));
        if (outcomes.length === 0 && news.length === 0) return seen?.text ?? '';
      }
    });
    messages = provider.settle(messages, report);
    return report;
  };
  return { agent, prompt, messages: () => messages };
}

const bodies = (): string[] => server.requests.map(({ body }) => JSON.stringify(body));
const call = (name: string) => ({ name, input: { path: 'a' } });

describe.each(Object.keys(providers))('%s', (name) => {
  it('S15 cut is not completion: cancelled, partial text kept, socket closed, and the next prompt is accepted', async () => {
    const { agent, prompt } = await converse(name, [{ text: words, chunkMs: 20 }, 'Fine.']);
    let cancelledAt = 0;
    const report = await prompt('Count.', undefined, (text) => {
      if (!text.endsWith('word3') || cancelledAt > 0) return;
      cancelledAt = performance.now();
      agent.cancel();
    });
    expect(performance.now() - cancelledAt).toBeLessThan(SOON_MS);
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' }, stop: { abandoned: [] } });
    expect(report.partials).toMatchObject([{ modelCall: 1, value: { text: 'word0 word1 word2 word3' } }]);
    await server.waitFor(({ requests }) => requests[0]?.closedEarly);
    expect((await prompt('And now?')).unwrap()).toBe('Fine.');
    expect(server.requests).toHaveLength(2);
    expect(bodies()[1]).toContain('word3');
  });

  it('S03 a stop during the tools: no second request; the ledger makes the transcript sendable', async () => {
    const script: ModelScript = [{ text: 'Working.', toolCalls: [call('read'), call('write')] }, 'Understood.'];
    const { agent, prompt } = await converse(name, script);
    let started = 0;
    const report = await prompt('Go.', (id) => {
      started += 1;
      if (started === 2) setTimeout(() => agent.cancel('enough'), 5);
      return started === 1 ? `read ${id}` : new Promise(() => undefined);
    });
    expect(report).toMatchObject({ status: 'cancelled', calls: [{ status: 'completed' }, { status: 'unknown' }] });
    expect(report.stop?.abandoned).toEqual(['write']);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(server.requests).toHaveLength(1);
    expect((await prompt('What happened?')).unwrap()).toBe('Understood.');
    expect(bodies()[1]).toContain('read ');
  });

  it('S21 a message cuts the stream and is in the next request, exactly once', async () => {
    const { agent, prompt } = await converse(name, [{ text: words, chunkMs: 20 }, 'With pnpm, then.']);
    let said = false;
    const report = await prompt('Install.', undefined, (text) => {
      if (said || !text.endsWith('word2')) return;
      said = true;
      agent.interject('use pnpm', { delivery: 'now' });
    });
    expect(report.unwrap()).toBe('With pnpm, then.');
    expect(report.undelivered).toEqual([]);
    expect(server.requests).toHaveLength(2);
    expect(bodies()[1]?.split('[PRIORITY USER MESSAGE]: use pnpm')).toHaveLength(2);
    await server.waitFor(({ requests }) => requests[0]?.closedEarly);
  });

  it('a loop of the bare SDK that simply ends when it is cut counts as cut', async () => {
    server = await startModelServer({ script: [{ text: words, chunkMs: 20 }] });
    const agent = new InterruptController();
    let ended = false;
    const report = await agent.runTurn(({ model }) =>
      model(async ({ signal, partial }) => {
        let chunks = 0;
        const stream =
          name === 'openai'
            ? await new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 }).chat.completions.create(
                { model: 'm', messages: [{ role: 'user', content: 'Go.' }], stream: true },
                { signal },
              )
            : await new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 }).messages.create(
                { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Go.' }], stream: true },
                { signal },
              );
        for await (const chunk of stream as AsyncIterable<unknown>) {
          void chunk;
          partial((chunks += 1));
          if (chunks === 5) agent.cancel();
        }
        ended = true;
        return chunks;
      }),
    );
    expect(ended).toBe(true);
    expect(report).toMatchObject({ status: 'cancelled', partials: [{ modelCall: 1, reason: { kind: 'user' } }] });
    await server.waitFor(({ requests }) => requests[0]?.closedEarly);
  });

  it('a live stream given to turn.model is refused, and does not stay open', async () => {
    server = await startModelServer({ script: [{ text: words, chunkMs: 20 }] });
    const agent = new InterruptController();
    const report = await agent.runTurn(({ model }) =>
      model<unknown>(({ signal }) =>
        name === 'openai'
          ? new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 }).chat.completions.create(
              { model: 'm', messages: [{ role: 'user', content: 'Go.' }], stream: true },
              { signal },
            )
          : new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 }).messages.create(
              { model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'Go.' }], stream: true },
              { signal },
            ),
      ),
    );
    expect(report).toMatchObject({ status: 'failed', error: expect.any(TypeError) });
    await server.waitFor(({ requests }) => requests[0]?.closedEarly);
    expect(server.requests).toHaveLength(1);
  });
});
