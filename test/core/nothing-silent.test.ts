import { describe, expect, it, vi } from 'vitest';

import {
  CancellationTokenSource,
  InterruptController,
  delay,
  moveOnAfter,
  raceCancellation,
  scope,
} from '../../src/index.ts';
import { stage, tick } from './interrupt/kit.ts';

const { token } = new CancellationTokenSource();

describe('what would never run', () => {
  it('a function or a list in the place of the promise of a race', async () => {
    await expect(raceCancellation(token, () => 1)).rejects.toThrow('call it, or use withCancellation');
    await expect(raceCancellation(token, [Promise.resolve(1)])).rejects.toThrow('Promise.all');
    expect(await raceCancellation(token, [1, 2])).toEqual([1, 2]);
  });

  it('a fork after the end of its scope: reported, for nobody may await it', async () => {
    const reported = vi.fn();
    const source = new CancellationTokenSource({ onCallbackError: reported });
    const late = await scope(source.token, ({ fork }) => ({ fork }));
    const rejected = expect(late.fork(() => 1)).rejects.toThrow('the scope has ended');
    const said = expect.objectContaining({ message: expect.stringContaining('has ended') as string }) as Error;
    expect(reported).toHaveBeenCalledExactlyOnceWith(said);
    await rejected;
  });

  it('a check of cancelled in the place of isCancelled: it throws, for every value would be wrong', () => {
    const unchecked = token as unknown as { readonly cancelled: boolean };
    expect(() => !unchecked.cancelled).toThrow('write isCancelled');
    expect(JSON.stringify({ ...unchecked })).not.toContain('cancelled');
  });

  it('work on what only inherits from a token', async () => {
    await expect(delay(Object.create(token) as typeof token, 1)).rejects.toThrow('a CancellationToken itself');
  });
});

describe('one stop', () => {
  it('one stop is one request at the root, also where something was left behind before', async () => {
    const { agent, clock, events } = stage({ graceMs: 200 });
    const turn = agent.runTurn(({ tool }) =>
      tool(
        { id: 'c1', name: 'plan' },
        async (_call, { subagent }) =>
          (await subagent('kid').runTurn((own) => own.model(() => new Promise(() => undefined)))).status,
        { timeoutMs: 20, graceMs: 0 },
      ),
    );
    await clock.advance(60);
    events.length = 0;
    agent.kill('enough');
    const asked = events.filter(({ type }) => type === 'interrupt-requested');
    expect(asked.map(({ agent: name, ...event }) => [name, 'reason' in event && event.reason.message])).toEqual([
      ['main', 'enough'],
    ]);
    await clock.advance(1_000);
    await turn;
  });

  it('of the string of a foreign signal has the kind that a source gives it', () => {
    const controller = new AbortController();
    controller.abort('user');
    expect(new CancellationTokenSource({ parent: controller.signal }).reason?.kind).toBe('user');
  });

  it('a refusal gives the advice of the verb that was called', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    const agent = new InterruptController();
    agent.cancelAll('all');
    agent.cancelCall('c1', 'all');
    agent.kill('all', { all: true });
    await agent.close('all');
    expect(said).not.toHaveBeenCalled();
    new InterruptController().kill('all');
    expect(String(said.mock.calls)).toContain('kill(reason, { all: true })');
    said.mockRestore();
  });
});

describe('a model call', () => {
  it('that was left behind is named by its error and in the report of its turn', async () => {
    const { agent, clock } = stage({ graceMs: 0 });
    const turn = agent.runTurn(({ model }) =>
      model(() => new Promise(() => undefined), { idleMs: 5, name: 'gpt' }).catch((error: unknown) => error),
    );
    await tick();
    await clock.advance(5);
    const report = await turn;
    expect(report.unwrap()).toMatchObject({ name: 'TimeoutError', abandoned: { name: 'gpt' } });
    expect(report.abandoned).toEqual(['gpt']);
  });

  it('that was cut is cut in its row, whatever its client throws', async () => {
    const { agent } = stage();
    const turn = agent.runTurn(({ model }) =>
      model(({ token: own }) => own.whenCancelled().then(() => Promise.reject(new Error('Operation was cancelled')))),
    );
    await tick();
    agent.cancel('user');
    expect((await turn).stop?.operations).toMatchObject([{ kind: 'model', outcome: 'cancelled' }]);
  });

  it('whose budget is refused ends the turn as cancelled, also where the last call goes to the background meanwhile', async () => {
    const { agent } = stage();
    agent.onEvent(({ type }) => {
      if (type === 'body-ended') agent.sendToBackground('c1');
    });
    const turn = agent.runTurn(
      ({ tool, model }) => {
        void tool({ id: 'c1', name: 'watch' }, () => new Promise(() => undefined), { canDetach: true });
        void model(() => 'one').catch(() => undefined);
        return model(() => 'two').catch(() => 'caught');
      },
      { budget: { modelCalls: 1 } },
    );
    const report = await turn;
    expect(report).toMatchObject({
      status: 'cancelled',
      reason: { kind: 'budget' },
      stop: { reason: { kind: 'budget' } },
    });
    void agent.close();
  });
});

it('moveOnAfter takes a grace', async () => {
  const { clock } = stage();
  const source = new CancellationTokenSource({ clock });
  const outcome = moveOnAfter(source.token, 5, () => new Promise(() => undefined), { graceMs: 3, name: 'slow' });
  await clock.advance(8);
  expect(await outcome).toMatchObject({ status: 'abandoned', name: 'slow' });
});
