/**
 * A scripted turn with three tools and a sub-agent, stopped at every place where something is awaited.
 */
import { describe, expect, it } from 'vitest';

import { InterruptController, delay, raceCancellation, type ToolContext, type TurnReport } from '../../src/index.ts';
import { cancelAtEvery } from '../../src/testing/cancel-at-every.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { checkTranscript, dialectNamed, type TranscriptDialect } from '../../src/transcript/index.ts';
import { repairReport } from '../transcript/support/repair-report.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';

type Dialect = 'anthropic' | 'openai-chat' | 'openai-responses' | 'gemini' | 'ai-sdk' | 'langchain';

interface Call {
  readonly id: string;
  readonly name: string;
}

const batches: readonly (readonly Call[])[] = [
  [
    { id: 'toolu_1', name: 'list' },
    { id: 'toolu_2', name: 'explore' },
    { id: 'toolu_3', name: 'write' },
  ],
  [],
];

/** A reply as each provider's transcript has it: one entry, or several. */
function assistant(dialect: Dialect, calls: readonly Call[]): readonly unknown[] {
  const text = { type: 'text', text: 'Next.' };
  const role = 'assistant';
  switch (dialect) {
    case 'anthropic':
      return [{ role, content: [text, ...calls.map((call) => ({ type: 'tool_use', ...call, input: {} }))] }];
    case 'openai-chat': {
      const tool_calls = calls.map(({ id, name }) => ({ id, type: 'function', function: { name, arguments: '{}' } }));
      return [{ role, content: 'Next.', ...(calls.length === 0 ? {} : { tool_calls }) }];
    }
    case 'openai-responses':
      return [
        { role, content: 'Next.' },
        ...calls.map(({ id, name }) => ({ type: 'function_call', call_id: id, name, arguments: '{}' })),
      ];
    case 'gemini':
      return [
        {
          role: 'model',
          parts: [{ text: 'Next.' }, ...calls.map((call) => ({ functionCall: { ...call, args: {} } }))],
        },
      ];
    case 'ai-sdk': {
      const parts = calls.map(({ id, name }) => ({ type: 'tool-call', toolCallId: id, toolName: name, input: {} }));
      return [{ role, content: [text, ...parts] }];
    }
    case 'langchain':
      return [{ role, content: 'Next.', tool_calls: calls.map((call) => ({ ...call, args: {} })) }];
  }
}

function prompt(dialect: Dialect): unknown {
  return dialect === 'gemini' ? { role: 'user', parts: [{ text: 'Go.' }] } : { role: 'user', content: 'Go.' };
}

/** Runs the turn once; the k-th step is a stop. Says how many steps there were. */
async function run(k: number, how: 'cancel' | 'kill', mode: 'parallel' | 'sequential', dialect: Dialect) {
  const clock = new VirtualClock();
  const agent = new InterruptController({ clock, graceMs: 50 });
  const log: string[] = [];
  let steps = 0;
  let stoppedAt: number | undefined;
  /** A place where something is awaited; `k` counts them over all levels. */
  const step = async (signal: AbortSignal, what: string): Promise<void> => {
    log.push(`${stoppedAt === undefined ? '' : 'after: '}${what}`);
    if ((steps += 1) === k) {
      stoppedAt = steps;
      agent[how]();
    }
    await raceCancellation(signal, new Promise((resolve) => setImmediate(resolve)));
  };
  const tool = async ({ name }: Call, { signal, subagent, commit, checkpoint }: ToolContext<Call>): Promise<string> => {
    await step(signal, `${name} begins`);
    if (name === 'explore') {
      const report = await subagent('explorer').runTurn(async (turn) => {
        await turn.model(({ signal: own }) => step(own, 'model of explorer'));
        await turn.tools([{ id: 'inner_1', name: 'grep' }], (inner, ctx) => step(ctx.signal, `${inner.name} begins`));
        await turn.model(({ signal: own }) => step(own, 'model of explorer'));
      });
      checkpoint();
      return report.status;
    }
    if (name === 'write') await commit(() => new Promise((resolve) => setImmediate(resolve)));
    await step(signal, `${name} ends`);
    return name;
  };
  const messages: unknown[] = [prompt(dialect)];
  const turn = agent.runTurn(async ({ model, tools }) => {
    for (const calls of batches) {
      const reply = await model(async ({ signal, partial }) => {
        await step(signal, 'model');
        partial('Next');
        await step(signal, 'model goes on');
        return assistant(dialect, calls);
      });
      if (reply.status === 'completed') messages.push(...reply.value);
      await tools(calls, tool, { mode });
    }
  });
  let report: TurnReport<void> | undefined;
  void turn.then((value) => (report = value));
  for (let i = 0; i < 60 && report === undefined; i += 1) await clock.advance(i % 10 === 9 ? 60 : 0);
  if (report === undefined) throw new Error(`step ${String(k)}: the turn does not settle`);
  const { messages: settled } = repairReport(messages as never, report, {
    dialect: dialectNamed(dialect) as TranscriptDialect<unknown>,
  });
  return { report, steps, log, settled, clock, agent, asked: messages.length > 1 };
}

describe.each(['cancel', 'kill'] as const)('S36 %s at every await', (how) => {
  it.each(
    (['anthropic', 'openai-chat', 'openai-responses', 'gemini', 'ai-sdk', 'langchain'] as const).flatMap((dialect) => [
      ['parallel', dialect] as const,
      ['sequential', dialect] as const,
    ]),
  )('S36 %s, %s', async (mode, dialect) => {
    const whole = await run(0, how, mode, dialect);
    expect(whole.report.status).toBe('completed');
    expect(whole.steps).toBeGreaterThan(8);
    for (let k = 1; k <= whole.steps; k += 1) {
      const { report, log, settled, clock, agent, asked } = await run(k, how, mode, dialect);
      const at = `step ${String(k)} of ${String(whole.steps)}: ${log.join(', ')}`;
      expect(report.status, at).toBe('cancelled');
      expect(
        report.calls.map(({ id }) => id),
        at,
      ).toEqual(asked ? ['toolu_1', 'toolu_2', 'toolu_3'] : []);
      expect(dialectNamed(dialect).check(settled as never), at).toEqual([]);
      expect(
        log.filter((line) => /^after: (model|.* begins)/.test(line) && !line.includes('goes on')),
        at,
      ).toEqual([]);
      expect(report.stop?.abandoned, at).toEqual([]);
      expect([clock.pending, agent.state, agent.wasInterrupted], at).toEqual([0, 'idle', true]);
    }
  });
});

describe.each(['parallel', 'sequential'] as const)('S36 without a place of its own to stop, %s', (mode) => {
  it('S36 three tools and a sub-agent: wherever something is awaited, nothing starts after it', async () => {
    let after: string[] = [];
    const statuses: string[] = [];
    const steps = await cancelAtEvery(
      async ({ token, clock }) => {
        after = [];
        const begins = (what: string): void => {
          if (token.isCancelled) after.push(what);
        };
        const agent = new InterruptController({ clock, token, graceMs: 50 });
        const asked: unknown[] = [];
        const report = await agent.runTurn(async ({ model, tools }) => {
          for (const calls of batches) {
            const reply = await model(async (context) => {
              begins('model');
              await delay(context.token, 10);
              return assistant('anthropic', calls);
            });
            if (reply.status === 'completed') asked.push(...reply.value);
            await tools(
              calls,
              async ({ name }, ctx) => {
                begins(name);
                if (name === 'write') return ctx.commit(() => Promise.resolve());
                if (name === 'list') return delay(ctx.token, 5);
                const below = await ctx.subagent('explorer').runTurn(async (inner) => {
                  for (const id of ['inner_1', 'inner_2', 'inner_3', 'inner_4']) {
                    await inner.model(({ token: own }) => (begins('model of explorer'), delay(own, 5)));
                    await inner.tool({ id, name: 'grep' }, (_call, own) => (begins('grep'), delay(own.graceToken, 5)), { graceMs: 50 }); // prettier-ignore
                  }
                });
                ctx.checkpoint();
                return below.status;
              },
              { mode },
            );
          }
        }, { budget: { wallMs: 60_000 } }); // prettier-ignore
        return { report, asked, agent };
      },
      {
        check({ isCut, result }) {
          if (result.status === 'rejected') throw result.reason;
          const { report, asked, agent } = result.value;
          // A cut of the scenario after its turn had ended is too late.
          expect(report.status).toBe(report.stop === undefined ? 'completed' : 'cancelled');
          statuses.push(report.status);
          expect(isCut || report.status === 'completed').toBe(true);
          expect(report.calls.map(({ id }) => id)).toEqual(asked.length === 0 ? [] : ['toolu_1', 'toolu_2', 'toolu_3']);
          expect(after).toEqual([]);
          expect(agent.state).toBe('idle');
          const messages = [{ role: 'user', content: 'Go.' }, ...asked];
          // This model answers with a list, which is no reply of the dialect.
          const partials = report.partials.flatMap(({ value, ...rest }) =>
            (value as readonly unknown[]).map((message) => ({ ...rest, value: message })),
          );
          const { messages: settled } = repairReport(
            messages as never,
            { ...report, partials },
            { dialect: anthropic },
          );
          expect(checkTranscript(settled, { dialect: anthropic })).toEqual([]);
        },
      },
    );
    // A model call, three tools and a sub-agent await this often at the least.
    expect(steps).toBeGreaterThan(40);
    expect(statuses.lastIndexOf('cancelled')).toBeGreaterThan(steps - 8);
    expect(statuses.indexOf('completed')).toBe(statuses.lastIndexOf('cancelled') + 1);
  });
});
