/**
 * A message for `now` at every part of the AI SDK's streams, with the providers' own models: the turn goes on, no call is
 * made twice, and the messages of it are taken by the next request with everything in them once.
 */
import type { LanguageModel, ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readResult, underTurn } from '../../src/adapters/ai-sdk/index.ts';
import { STEP } from '../support/long.ts';
import { majors } from './majors.ts';
import { frameworkStage } from './stage.ts';
import { chatOfAISDK, checkedAISDK } from './support/settle-history.ts';

const newest = majors[0] as (typeof majors)[number];
/** Google's package as one of the frameworks brings it; it declares types that this one cannot read. */
const google = await newest.load<{ createGoogleGenerativeAI(settings: object): (model: string) => LanguageModel }>(
  '@ai-sdk/google-v5',
);

const loaded = await Promise.all(
  majors.map(async (major) => {
    const [ai, openai, anthropic] = await Promise.all([
      major.load<typeof import('ai')>('ai'),
      major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai'),
      newest.load<typeof import('@ai-sdk/anthropic')>('@ai-sdk/anthropic'),
    ]);
    const settings = (url: string) => ({ baseURL: `${url}/v1`, apiKey: 'none' });
    const models: Readonly<Record<string, (url: string) => LanguageModel>> = {
      chat: (url) => openai.createOpenAI(settings(url)).chat('gpt-5'),
      responses: (url) => openai.createOpenAI(settings(url)).responses('gpt-5'),
      'responses, not stored': (url) => openai.createOpenAI(settings(url)).responses('gpt-5'),
      anthropic: (url) => anthropic.createAnthropic(settings(url))('claude-sonnet-4-5'),
      google: (url) => google.createGoogleGenerativeAI({ ...settings(url), baseURL: `${url}/v1beta` })('gemini-3-pro'),
    };
    return { name: `ai ${major.version('ai')}`, ai, models };
  }),
);

// The packages of Anthropic and Google that are there speak to the newest one only.
const cells = loaded.flatMap((one, at) =>
  Object.keys(one.models)
    .filter((provider) => at === 0 || !/anthropic|google/.test(provider))
    .map((provider) => ({ ...one, provider })),
);

describe.each(cells)('$name, $provider', ({ ai, models, provider }) => {
  /** One turn; what it came to, and which part the message came at, if there were so many. */
  async function turnWith(at: number) {
    const { agent, server } = await frameworkStage([
      { thinking: 'I have to pay first', text: 'Paying now.', toolCalls: [look('a b'), look('c d')], chunkMs: 1 },
      { thinking: 'Hm again', text: 'Look.', toolCalls: [look('e')], chunkMs: 1 },
      { thinking: 'Third', text: 'All done.', chunkMs: 1 },
      'Next answer.',
      'Next answer.',
      'Next answer.',
    ]);
    const model = models[provider]?.(server.url);
    if (model === undefined) throw new Error('no model');
    const looked: string[] = [];
    const tools = {
      look: ai.tool({
        inputSchema: z.object({ path: z.string() }),
        execute: ({ path }: { path: string }) => {
          looked.push(path);
          return 'looked';
        },
      }),
    };
    const providerOptions = {
      openai: {
        reasoningSummary: 'auto',
        include: ['reasoning.encrypted_content'],
        ...(provider === 'responses, not stored' ? { store: false } : {}),
      },
      anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } },
    };
    const chat = chatOfAISDK<ModelMessage>();
    const illegal: unknown[] = [];
    chat.onChange((now) => illegal.push(...checkedAISDK(now)));
    let count = 0;
    let cutAt: string | undefined;
    const report = await chat.runTurn(agent, 'pay', async (turn) => {
      const settings = { model, tools, providerOptions, maxRetries: 0, stopWhen: ai.stepCountIs(6), onError: () => {} };
      await readResult(
        turn.token,
        ai.streamText(underTurn(turn, { ...settings, messages: chat.messages })),
        ({ type }: { readonly type: string }) => {
          if (count++ !== at) return;
          cutAt = type;
          agent.interject('use pnpm', { delivery: 'now' });
        },
      );
    });
    const settled = chat.messages;
    expect(illegal, `at ${String(at)}`).toEqual([]);
    const next = [...settled, { role: 'user' as const, content: 'next' }];
    const answer = await ai.generateText({ model, messages: next, tools, providerOptions, maxRetries: 0 });
    return { cutAt, report, settled, looked, next: answer.text, parts: count };
  }

  const look = (path: string) => ({ name: 'look', input: { path } });

  it('S45 is told once, wherever it comes, and nothing stands twice in what is sent next', async () => {
    for (let at = 0, parts = 1; at < parts; at += STEP) {
      const { cutAt, report, settled, looked, next, parts: seen } = await turnWith(at);
      parts = seen;
      const where = `${String(at)} ${String(cutAt)}`;
      const text = JSON.stringify(settled);
      const calls = settled.flatMap(({ content }) =>
        typeof content === 'string' ? [] : (content as readonly object[]),
      );
      const ids = calls.flatMap((part) => ('toolCallId' in part && 'input' in part ? [part.toolCallId] : []));
      expect([report.status, 'error' in report ? String(report.error) : ''], where).toEqual(['completed', '']);
      // The script has one answer more than an uncut turn asks for.
      expect(['All done.', 'Next answer.'], where).toContain(next);
      expect(new Set(ids).size, where).toBe(ids.length);
      expect(new Set(looked).size, where).toBe(looked.length);
      expect(
        report.calls.map(({ status }) => status).filter((status) => status !== 'completed'),
        where,
      ).toEqual([]);
      const message = text.split('use pnpm').length - 1;
      expect(message, where).toBe(report.undelivered.length === 0 ? 1 : 0);
      for (const said of ['Paying now', 'Look.', 'All done.'])
        expect(text.split(said).length, `${where}: ${said}`).toBeLessThanOrEqual(2);
    }
  });
});
