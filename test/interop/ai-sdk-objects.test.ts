/** Objects that the AI SDK streams, under a turn: whole, stopped, refused, and such as do not fit their schema. */
import type { LanguageModel } from 'ai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readResult, underTurn } from '../../src/adapters/ai-sdk/index.ts';
import { delay, type TurnReport } from '../../src/index.ts';
import type { ModelScript } from '../../src/testing/model-server/index.ts';
import { majors } from './majors.ts';
import { frameworkStage, type FrameworkStage } from './stage.ts';

const loaded = await Promise.all(
  majors.map(async (major) => ({
    name: `ai ${major.version('ai')}`,
    ai: await major.load<typeof import('ai')>('ai'),
    openai: await major.load<typeof import('@ai-sdk/openai')>('@ai-sdk/openai'),
  })),
);
const schema = z.object({ city: z.string() });

describe.each(loaded)('$name', ({ ai, openai }) => {
  async function read(
    script: ModelScript,
  ): Promise<FrameworkStage & { readonly running: Promise<TurnReport<{ city: string }>>; readonly types: string[] }> {
    const base = await frameworkStage(script, { graceMs: 1000 });
    const model: LanguageModel = openai.createOpenAI({ baseURL: base.baseURL, apiKey: 'none' }).chat('scripted');
    const types: string[] = [];
    const running = base.agent.runTurn((turn) =>
      readResult(
        turn.token,
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- both majors have it
        ai.streamObject(underTurn(turn, { model, schema, prompt: 'go', maxRetries: 0, onError: () => undefined })),
        ({ type }) => {
          types.push(type);
        },
      ),
    );
    return { ...base, running, types };
  }

  it('an object is read to its end within the turn, and is its value', async () => {
    const { running, types, server } = await read(['{"city":"Paris"}']);
    expect((await running).unwrap()).toEqual({ city: 'Paris' });
    expect(types).toEqual(expect.arrayContaining(['object', 'text-delta', 'finish']));
    expect(server.requests).toHaveLength(1);
  });

  it('S15 a stop ends it as a stop, and its stream is closed', async () => {
    const { agent, running, server } = await read([{ text: '{"city": "a b c d e f g', silentAfter: 3 }]);
    await server.waitFor(({ requests }) => (requests[0]?.deltasWritten ?? 0) >= 3);
    await delay(undefined, 50);
    agent.cancel('user');
    const report = await running;
    expect([report.status, report.stop?.abandoned]).toEqual(['cancelled', []]);
    await server.waitFor(({ requests }) => requests[0]?.closedEarly === true);
    expect(server.requests).toHaveLength(1);
  });

  it('what the model failed with, and an object of another shape, are failures', async () => {
    const refused = await read([{ status: 400, message: 'no such model' }]);
    expect(await refused.running).toMatchObject({ status: 'failed', error: { message: 'no such model' } });
    const odd = await read(['{"town":"Paris"}']);
    expect(await odd.running).toMatchObject({ status: 'failed', error: { name: 'AI_NoObjectGeneratedError' } });
  });
});
