/** What a recording says, against a book that is kept by the work itself and knows nothing of events. */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';

import { InterruptController, raceCancellation, type ToolContext } from '../../src/index.ts';
import { record, timelineHtml, timelineText } from '../../src/inspect/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';

interface Known {
  readonly name: string;
  readonly startedAt: number;
  toldAt?: number;
  endedAt?: number;
  settle(): void;
}

const manners = fc.constantFrom('obedient', 'deaf', 'delegating');
const acts = fc.oneof(
  fc.record({ do: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 60 }) }),
  fc.record({ do: fc.constant('settle' as const), n: fc.nat(9) }),
  fc.record({ do: fc.constant('stop' as const) }),
);

test.prop([fc.array(manners, { minLength: 1, maxLength: 4 }), fc.array(acts, { maxLength: 12 })], { numRuns: 60 })(
  'a recording knows what runs, who was told when, and what survived',
  async (tools, script) => {
    const clock = new VirtualClock({ startAt: 1_000 });
    const agent = new InterruptController({ name: 'main', clock, graceMs: 50 });
    using recording = record(agent, { clock });
    const known: Known[] = [];
    let stoppedAt: number | undefined;

    const run = async ({ name }: { readonly name: string }, { token, subagent }: ToolContext): Promise<void> => {
      const work = deferred();
      const row: Known = { name, startedAt: clock.now(), settle: work.resolve };
      known.push(row);
      token.onCancelled(() => (row.toldAt = clock.now()));
      try {
        if (name.startsWith('deaf')) await work.promise;
        else if (name.startsWith('delegating')) {
          const inner = [{ id: `${name}.sub`, name: `obedient ${name}` }];
          await subagent('sub').runTurn((turn) => turn.tools(inner, run));
        } else await raceCancellation(token, work.promise);
      } finally {
        row.endedAt = clock.now();
      }
    };
    const calls = tools.map((manner, index) => ({ id: String(index), name: `${manner} ${String(index)}` }));
    const turn = agent.runTurn((own) => own.tools(calls, run));
    await clock.advance(0);

    const check = (): void => {
      const trace = recording.trace();
      const rows = trace.operations.filter(({ kind }) => kind === 'tool');
      expect(rows.map(({ name }) => name)).toEqual(known.map(({ name }) => name));
      for (const [index, { startedAt, toldAt, endedAt }] of known.entries()) {
        const row = rows[index];
        expect([row?.startedAt, row?.askedAt]).toEqual([startedAt, toldAt]);
        if (row?.outcome === 'abandoned') expect(row.late?.at, row.name).toBe(endedAt);
        else expect(row?.endedAt, row?.name).toBe(endedAt);
      }
      const running = known.filter(({ endedAt }) => endedAt === undefined).map(({ name }) => name);
      const said = rows.filter(
        ({ outcome, late }) => outcome === 'running' || (outcome === 'abandoned' && late === undefined),
      );
      expect(said.map(({ name }) => name)).toEqual(running);
      const [stop] = trace.stops;
      expect([trace.stops.length, stop?.requestedAt]).toEqual([stoppedAt === undefined ? 0 : 1, stoppedAt]);
      const asked = rows.filter(({ id }) => stop?.asked.includes(id) === true).map(({ name }) => name);
      expect(asked).toEqual(known.filter(({ toldAt }) => toldAt !== undefined).map(({ name }) => name));
      expect(timelineText(trace).split('\n').length + 1).toBeGreaterThan(rows.length);
      expect(timelineHtml(trace).match(/<tr tabindex/g)).toHaveLength(trace.operations.length);
    };
    check();
    for (const act of script) {
      if (act.do === 'settle') known[act.n % known.length]?.settle();
      if (act.do === 'stop' && agent.cancel('user').accepted) stoppedAt ??= clock.now();
      await clock.advance(act.do === 'wait' ? act.ms : 0);
      check();
    }
    for (let round = 0; round < 3; round += 1) {
      for (const { settle } of known) settle();
      await clock.advance(100);
    }
    await turn;
    check();
    expect(recording.trace().stops.every(({ survivors }) => survivors.length === 0)).toBe(true);
  },
);
