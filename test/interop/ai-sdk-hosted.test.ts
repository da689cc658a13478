/** What a provider of the AI SDK ran itself for a reply that was cut: the next request knows of it, in the same call and in the next turn. */
import type { LanguageModel, ModelMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { readResult, underTurn } from '../../src/adapters/ai-sdk/index.ts';
import { lostNote } from '../../src/core/foundation/results/lost-note.ts';
import { InterruptController } from '../../src/index.ts';
import { majors } from './majors.ts';
import { chatOfAISDK, checkedAISDK } from './support/settle-history.ts';

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: `ai ${major.version('ai')}`,
    ai: await major.load<typeof import('ai')>('ai'),
  })),
);

const tool = { toolCallId: 'mcp_1', toolName: 'pay', providerExecuted: true, dynamic: true };
const call = { ...tool, type: 'tool-call', input: '{}' };
const result = { ...tool, type: 'tool-result', result: 'PAID' };
const begins = [
  { type: 'text-start', id: '0' },
  { type: 'text-delta', id: '0', delta: 'I pay.' },
];
const said = [...begins, { type: 'text-end', id: '0' }];
const finish = {
  ...{ type: 'finish', finishReason: { unified: 'stop', raw: 'stop' } },
  usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
};
const stored = { providerMetadata: { openai: { itemId: 'msg_1' } } };
const note = lostNote(['pay']);

const replies: readonly [string, readonly object[], string][] = [
  ['that runs', [call], note],
  ['that runs, behind words', [...said, call], note],
  ['that has ended', [call, result], 'PAID'],
  ['that has ended, before words', [call, result, ...begins], 'PAID'],
  ['that has ended, behind words', [...said, call, result], 'PAID'],
  ['whose result is stored with the reply', [call, result, { ...begins[0], ...stored }, begins[1] as object], note],
];

describe.each(loaded)('$name', ({ ai }) => {
  it.each(replies.flatMap(([what, ...row]) => ['now', 'stop'].map((how) => [what, how, ...row] as const)))(
    'S18 a call of the provider %s is told in the next request (%s)',
    async (_what, how, parts, told) => {
      const agent = new InterruptController();
      const sent: string[] = [];
      const doStream = ({ prompt, abortSignal }: { prompt: unknown; abortSignal?: AbortSignal }) => {
        const isFirst = sent.push(JSON.stringify(prompt)) === 1;
        const all = [{ type: 'stream-start', warnings: [] }, ...(isFirst ? parts : [...said, finish])];
        // Asked for only once what came before was taken.
        const stream = new ReadableStream<object>(
          {
            pull(controller) {
              const part = all.shift();
              if (part !== undefined) {
                controller.enqueue(part);
                return undefined;
              }
              if (!isFirst) {
                controller.close();
                return undefined;
              }
              return new Promise((_resolve, reject) => {
                abortSignal?.addEventListener('abort', () => {
                  reject(new Error('aborted'));
                });
                if (how === 'now') agent.interject('Wait.', { delivery: 'now' });
                else agent.cancel('user');
              });
            },
          },
          { highWaterMark: 0 },
        );
        return Promise.resolve({ stream });
      };
      const own = { specificationVersion: 'v3', provider: 'p', modelId: 'm', supportedUrls: {} };
      const model = { ...own, doStream, doGenerate: doStream } as unknown as LanguageModel & object;
      const chat = chatOfAISDK<ModelMessage>();
      const ask = (prompt: string) =>
        chat.runTurn(agent, prompt, (turn) =>
          readResult(
            turn.token,
            ai.streamText(underTurn(turn, { model, messages: chat.messages, maxRetries: 0, onError() {} })),
          ),
        );
      await ask('Pay.');
      if (how === 'stop') await ask('And now?');
      expect(sent).toHaveLength(2);
      expect(sent[1]).toContain(told);
      expect(JSON.stringify(chat.messages).split(told)).toHaveLength(2);
      expect(checkedAISDK(chat.messages)).toEqual([]);
    },
  );
});
