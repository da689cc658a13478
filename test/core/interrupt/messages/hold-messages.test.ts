import { expect, it } from 'vitest';

import { holdMessages } from '../../../../src/core/interrupt/messages/hold-messages.ts';
import type { ModelContext } from '../../../../src/index.ts';
import { stage, tick } from '../kit.ts';

it('a model call that holds messages is cut by none, and the next one reads them; a stop ends it', async () => {
  const { agent } = stage();
  const seen: unknown[] = [];
  let end!: (value: string) => void;
  const turn = agent.runTurn(async ({ model }) => {
    const first = await model((context: ModelContext<string>) => {
      holdMessages(context);
      context.token.onCancelled(() => seen.push('cut'));
      return new Promise<string>((resolve) => (end = resolve));
    });
    seen.push(first.status);
    await model(({ readInterjections, token }) => {
      seen.push(...readInterjections().map(({ message }) => message));
      holdMessages({ token } as never); // of another version: nothing to hold
      agent.cancel();
    });
  });
  await tick();
  agent.interject('hurry', { delivery: 'now' });
  await tick();
  expect(seen).toEqual([]);
  end('done');
  expect((await turn).status).toBe('cancelled');
  expect(seen).toEqual(['completed', 'hurry']);
});
