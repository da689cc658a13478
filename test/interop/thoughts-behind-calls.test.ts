/**
 * A reply of the AI SDK that is cut behind calls which came whole, at every one of its parts: what the model had thought
 * goes back to its provider with those calls, as it was signed, and nothing that was cut goes with it.
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
/** Packages as the frameworks bring them; they declare types that this version cannot read. */
const [google, anthropicBefore] = await Promise.all([
  newest.load<{ createGoogleGenerativeAI(settings: object): (model: string) => LanguageModel }>('@ai-sdk/google-v5'),
  newest.load<{ createAnthropic(settings: object): (model: string) => LanguageModel }>('@ai-sdk/anthropic-v5'),
]);

interface Provider {
  readonly model: (url: string) => LanguageModel;
  readonly options: Readonly<Record<string, Readonly<Record<string, string | boolean | object>>>>;
  readonly isSealed?: boolean;
}

const loaded = await Promise.all(
  majors.map(async (major) => {
    const [ai, openai, anthropic] = await Promise.all([
      major.load<typeof import('ai')>('ai'),
      major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai'),
      newest.load<typeof import('@ai-sdk/anthropic')>('@ai-sdk/anthropic'),
    ]);
    const settings = (url: string) => ({ baseURL: `${url}/v1`, apiKey: 'none' });
    const claude =
      major === newest
        ? (url: string) => anthropic.createAnthropic(settings(url))('claude-sonnet-4-5')
        : (url: string) => anthropicBefore.createAnthropic(settings(url))('claude-sonnet-4-5');
    const thinking = { anthropic: { thinking: { type: 'enabled', budgetTokens: 1024 } } };
    const responses = (url: string) => openai.createOpenAI(settings(url)).responses('gpt-5');
    const sealed = { reasoningSummary: 'auto', include: ['reasoning.encrypted_content'] };
    const providers: Readonly<Record<string, Provider>> = {
      anthropic: { model: claude, options: thinking },
      'anthropic, sealed': { model: claude, options: thinking, isSealed: true },
      google: {
        model: (url) => google.createGoogleGenerativeAI({ ...settings(url), baseURL: `${url}/v1beta` })('gemini-3-pro'),
        options: {},
      },
      responses: { model: responses, options: { openai: sealed } },
      'responses, not stored': { model: responses, options: { openai: { ...sealed, store: false } } },
    };
    return { name: `ai ${major.version('ai')}`, ai, providers };
  }),
);

const cells = loaded.flatMap(({ name, ai, providers }) =>
  Object.entries(providers).flatMap(([provider, own]) =>
    (['stop', 'message'] as const).map((cut) => ({ name, ai, provider, ...own, cut })),
  ),
);

type Part = Readonly<Record<string, unknown>> & { readonly type: string };

const look = (path: string) => ({ toolCall: { name: 'look', input: { path } } });
const thoughts = ['I have to pay first', 'Then I look'];

/** What stands in a request of the Responses API for a thought, a call; in order. */
function itemsOf(body: Readonly<Record<string, unknown>>): readonly Part[] {
  return Array.isArray(body['input']) ? (body['input'] as readonly Part[]) : [];
}

describe.each(cells)('$name, $provider, cut by a $cut', ({ ai, model: modelAt, options, provider, isSealed, cut }) => {
  /** One turn; what it came to, and which part it was cut at, if there were so many. */
  async function turnWith(at: number) {
    const [first = '', then = ''] = thoughts;
    const { agent, server } = await frameworkStage((_request, n) =>
      n === 1
        ? {
            parts: [
              { thinking: first, redacted: isSealed },
              { text: 'Paying now.' },
              look('a'),
              { thinking: then, redacted: isSealed },
              { text: 'Looking.' },
              look('b'),
              { thinking: 'And once more', redacted: isSealed },
              look('c'),
            ],
            chunkMs: 1,
          }
        : `Answer ${String(n)}.`,
    );
    const model = modelAt(server.url);
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
    const settings = { model, tools, providerOptions: options as never, maxRetries: 0 };
    const chat = chatOfAISDK<ModelMessage>();
    const illegal: unknown[] = [];
    chat.onChange((now) => illegal.push(...checkedAISDK(now)));
    let count = 0;
    let cutAt: string | undefined;
    const report = await chat.runTurn(agent, 'pay', async (turn) => {
      const given = { ...settings, messages: chat.messages, stopWhen: ai.stepCountIs(6), onError: () => undefined };
      await readResult(turn.token, ai.streamText(underTurn(turn, given)), ({ type }: { readonly type: string }) => {
        if (count++ !== at) return;
        cutAt = type;
        if (cut === 'stop') agent.cancel('user');
        else agent.interject('use pnpm', { delivery: 'now' });
      });
    });
    const settled = chat.messages;
    expect(illegal, `at ${String(at)}`).toEqual([]);
    const before = server.requests.length;
    const next: ModelMessage[] = [...settled, { role: 'user', content: 'next' }];
    const again = settled.at(-1)?.role === 'tool' ? [settled] : [];
    for (const prompt of [...again, next]) await ai.generateText({ ...settings, messages: prompt });
    return { cutAt, report, settled, looked, parts: count, sent: server.requests.slice(before), server };
  }

  it('S41 what was thought and signed goes back with the calls that came whole', async () => {
    let withCalls = 0;
    for (let at = 0, parts = 1; at < parts; at += STEP) {
      const { cutAt, report, settled, looked, parts: seen, sent, server } = await turnWith(at);
      if (cut === 'message' || cutAt === undefined) parts = seen;
      else parts = Math.max(parts, at + STEP + 1);
      const where = `${String(at)} ${String(cutAt)}`;
      const error = report.status === 'failed' ? String(report.error) : '';
      expect([report.status, error], where).toEqual([
        cut === 'stop' && cutAt !== undefined ? 'cancelled' : 'completed',
        '',
      ]);
      expect(
        server.requests.map(({ status }) => status),
        where,
      ).toEqual(server.requests.map(() => 200));
      expect(new Set(looked).size, where).toBe(looked.length);

      const reply = settled.find(({ role }) => role === 'assistant');
      const own = (Array.isArray(reply?.content) ? reply.content : []) as readonly Part[];
      const calls = own.filter(({ type }) => type === 'tool-call').map(({ toolCallId }) => toolCallId);
      expect(new Set(calls).size, where).toBe(calls.length);
      const text = JSON.stringify(settled);
      for (const said of ['Paying now', 'Looking', ...thoughts]) {
        expect(text.split(said).length, `${where}: ${said}`).toBeLessThanOrEqual(2);
      }
      if (calls.length === 0) continue;
      withCalls += 1;
      // In the order in which they came. A stream of stored responses brings no seals, so a cut has no thoughts of them;
      // Google's package closes a thought after the call that follows it, and only the call is signed.
      const counts = (kind: string): boolean =>
        kind !== 'custom' && (kind !== 'reasoning' || /anthropic|not stored/.test(provider));
      const whole = ['reasoning', 'text', 'tool-call', 'reasoning', 'text', 'tool-call', 'reasoning', 'tool-call'];
      const kinds = own.map(({ type }) => type).filter(counts);
      expect(kinds, where).toEqual(whole.filter(counts).slice(0, kinds.length));
      for (const { body } of sent) {
        if (provider !== 'responses, not stored') continue;
        const items = itemsOf(body);
        const firstCall = items.findIndex(({ type }) => type === 'function_call');
        const before = items.slice(0, firstCall).find(({ type }) => type === 'reasoning');
        expect(before?.['encrypted_content'], where).toBe('signature-1');
      }
    }
    expect(withCalls).toBeGreaterThan(5 / STEP);
  });
});
