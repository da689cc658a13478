import { describe, expect, it } from 'vitest';

import { askInTurn } from '../../../../src/core/interrupt/turn/ask-in-turn.ts';
import { CancellationToken, type Responder } from '../../../../src/index.ts';
import { call, errorOf, stage, tick } from '../kit.ts';

describe('a question of a turn itself', () => {
  it('is answered once', async () => {
    const { agent } = stage();
    let respond: Responder<string> | undefined;
    const turn = agent.runTurn(({ token }) => askInTurn<string>(token, (fn) => (respond = fn)));
    await tick();
    expect([respond?.('yes'), respond?.('no')]).toEqual([true, false]);
    expect((await turn).unwrap()).toBe('yes');
  });

  it('is ended by the stop of its turn, and never denied', async () => {
    const { agent } = stage();
    let error: unknown;
    const turn = agent.runTurn(async ({ token }) => {
      error = await errorOf(askInTurn<string>(token, () => undefined));
    });
    await tick();
    agent.cancel('never mind');
    expect((await turn).status).toBe('cancelled');
    expect(error).toMatchObject({ name: 'AbortError', reason: { message: 'never mind' } });
  });

  it('belongs to a turn: to no call, and to no stranger’s token', async () => {
    const { agent } = stage();
    const ask = (token: CancellationToken) => askInTurn(token, () => undefined);
    expect(() => ask(CancellationToken.none)).toThrow('only be asked while its turn runs');
    const report = await agent.runTurn(({ tool }) => tool(call('a'), (_call, { token }) => ask(token)));
    expect(report.calls).toMatchObject([{ status: 'failed', error: expect.any(TypeError) }]);
  });
});
