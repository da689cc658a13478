/** What the real loop of pi is told beside its prompt: messages of the user, and what ended late. */
import { describe, expect, it } from 'vitest';

import { lateNote } from '../../src/index.ts';
import { waitUntil } from '../../src/testing/waiting.ts';
import { deafWork } from './stage.ts';
import { callsOf } from './support/frameworks/loop-stage.ts';
import { pis } from './support/frameworks/pi.ts';
import { piStageOf } from './support/frameworks/pi-stage.ts';

describe.each(pis)('$name: what the user said', (version) => {
  const piStage = piStageOf(version);

  it.each([0, 1, 3])('is told before the next call of the model, behind %i messages of the program', async (steers) => {
    const { agent, pi, prompt, server } = await piStage([callsOf('look'), 'a', 'b', 'c', 'd'], {
      tools: {
        look: () => {
          agent.interject('use pnpm', { delivery: 'next-model-call' });
          for (let at = 0; at < steers; at++) {
            pi.steer({ role: 'user', content: `steered ${String(at)}`, timestamp: 1 });
          }
          return 'seen';
        },
      },
    });
    const report = await prompt('go');
    expect([report.status, report.undelivered, pi.steeringMode]).toEqual(['completed', [], 'one-at-a-time']);
    expect(server.requests.map(({ body }) => JSON.stringify(body).includes('use pnpm'))).toEqual([false, true]);
  });
});

describe.each(pis)('$name: a result that came late', (version) => {
  it('is told to the model without the details that are for people', async () => {
    const deaf = deafWork();
    const { agent, pi, prompt } = await piStageOf(version)([callsOf('pay'), 'ok'], { controller: { graceMs: 20 } });
    const execute = async () => {
      await deaf.run();
      return { content: [{ type: 'text', text: 'paid' }], details: { card: 4711 } };
    };
    const parameters = { type: 'object', properties: {} };
    pi.state.tools = [{ name: 'pay', label: 'Pay', description: 'pays', parameters, execute }] as never;
    const running = prompt('go');
    await deaf.started;
    agent.cancel('user');
    await running;
    deaf.end.resolve('done');
    const notes: string[] = [];
    await waitUntil('a late outcome', () => notes.push(...agent.takeLateOutcomes().map(lateNote)) > 0, 10_000);
    expect(notes[0]).toContain('paid');
    expect(notes[0]).not.toMatch(/4711|details|content/);
  });
});
