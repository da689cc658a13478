/** S38: of a chain of agents only what really still runs is named, and the innocent levels above it are stopped. */
import { describe, expect, it } from 'vitest';

import { delay, shield, type ToolContext, type TurnReport } from '../../../src/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { call, deaf, stage, tick } from './kit.ts';

/** Root, two levels of sub-agents, and a tool at the bottom; all defaults. */
async function stoppedChain(tool: (context: ToolContext) => Promise<unknown>) {
  const { agent, clock } = stage();
  const below: Promise<TurnReport<unknown>>[] = [];
  const running = agent.runTurn((root) =>
    root.tool(call('first'), (_first, one) => {
      const turn = one.subagent('one').runTurn((first) =>
        first.tool(call('second'), (_second, two) => {
          const last = two.subagent('two').runTurn((second) => second.tool(call('leaf'), (_leaf, ctx) => tool(ctx)));
          below.push(last);
          return last;
        }),
      );
      below.push(turn);
      return turn;
    }),
  );
  await tick();
  const { settled } = agent.cancel();
  await clock.advance(10_000);
  const reports = [await running, ...(await Promise.all(below))];
  return {
    stop: await settled,
    reports,
    calls: reports.flatMap(({ calls }) => calls.map(({ id, status }) => [id, status])),
  };
}

describe('S38 only the deaf one is named', () => {
  it('S38 a tool that never settles under two sub-agents: it alone is abandoned, every level above is stopped within grace and a half', async () => {
    const { stop, reports, calls } = await stoppedChain(deaf);
    expect(stop.abandoned).toEqual(['leaf']);
    expect(Object.fromEntries(calls)).toEqual({ first: 'stopped', second: 'stopped', leaf: 'unknown' });
    expect(reports.map(({ status }) => status)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    expect(stop.settledMs).toBeLessThanOrEqual(1_500);
  });

  it('S38 a save of 1.5 s under a shield in a finally: nothing is abandoned, every level is stopped', async () => {
    let saved = false;
    const { stop, calls } = await stoppedChain(async ({ token }) => {
      try {
        await delay(token, 3_600_000);
      } finally {
        await shield(
          token,
          async (graceToken) => {
            await delay(graceToken, 1_500);
            saved = true;
          },
          { graceMs: 2_000 },
        );
      }
    });
    expect([saved, stop.abandoned]).toEqual([true, []]);
    expect(Object.fromEntries(calls)).toEqual({ first: 'stopped', second: 'stopped', leaf: 'stopped' });
  });

  it('S38 a kill while what a call started tidies up in a sub-agent whose body has ended: who waited for that is stopped', async () => {
    const { agent, clock } = stage();
    const tidied = deferred();
    const turn = agent.runTurn((root) =>
      root.tool(call('first'), (_first, { subagent }) =>
        subagent('one').runTurn(({ tool }) =>
          tool(
            call('second'),
            ({ id }, { track, token }) => {
              void track({ kind: 'process', name: id }, tidied.promise);
              return delay(token, 3_600_000);
            },
            { timeoutMs: 20 },
          ),
        ),
      ),
    );
    await clock.advance(40);
    const { settled } = agent.kill('user');
    await clock.advance(1_000);
    const { calls } = await turn;
    expect(calls.map(({ id, status }) => [id, status])).toEqual([['first', 'stopped']]);
    expect((await settled).abandoned).toEqual(['second']);
    tidied.resolve();
  });
});
