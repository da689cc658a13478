/**
 * A session stopped at any moment of the executable: it is told exactly once, never of work that has ended, and never of a prompt
 * that it has not read; the next prompt is answered by its own result. A failure prints its seed and path.
 */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';

import { openSession } from '../../src/adapters/claude-agent/index.ts';
import { InterruptController } from '../../src/index.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import { fakeQuery, textsOf, type FakeExecutable } from '../adapters/claude-agent/support/fake-executable.ts';
import { propertyRuns } from '../support/property-runs.ts';

const tick = (): Promise<void> => new Promise(setImmediate);

const scenario = fc.record({
  /** How many steps of the executable come before the stop; more than there are means none. */
  stopAt: fc.integer({ min: -1, max: 18 }),
  how: fc.constantFrom('cancel', 'kill', 'cancel twice'),
  calls: fc.array(fc.constantFrom('allowed', 'asked', 'unasked'), { maxLength: 3 }),
  hasReceipt: fc.boolean(),
  isPrompt: fc.boolean(),
});

test.prop([scenario], { numRuns: propertyRuns(500) })(
  'S01 the executable is told of a stop once, and never of finished work',
  async (given) => {
    const { stopAt, how, calls, hasReceipt, isPrompt } = given;
    let steps = 0;
    let stop: () => void = () => undefined;
    const server = { hasResult: false, isStopped: false };
    const step = async (): Promise<void> => {
      if (steps++ === stopAt) stop();
      if (!isPrompt) await tick();
    };
    const play = async (fake: FakeExecutable): Promise<void> => {
      const ended = (): boolean => server.hasResult || server.isStopped;
      fake.onInterrupt = () => {
        const was = ended();
        server.isStopped = true;
        if (!was)
          fake.result({ subtype: 'error_during_execution', is_error: true, user_message_uuid: fake.prompts[0]?.uuid });
        return hasReceipt ? { still_queued: [] } : undefined;
      };
      await step();
      fake.step({ type: 'message_start' });
      fake.words('one ');
      await step();
      if (ended()) return;
      const ids = calls.map((_, at) => `call_${String(at)}`);
      fake.calls(...ids);
      for (const [at, id] of ids.entries()) {
        await step();
        if (ended()) return;
        const said = await fake.begin(id);
        if (said !== undefined || ended()) continue;
        if (calls[at] === 'asked') {
          const request = { signal: new AbortController().signal, toolUseID: id };
          const answer = await fake.options.canUseTool?.(id, {}, request);
          if (answer?.behavior !== 'allow') continue;
        }
        await step();
        if (ended()) return;
        fake.returns(id);
      }
      await step();
      if (ended()) return;
      server.hasResult = true;
      fake.result({ user_message_uuid: fake.prompts[0]?.uuid });
      for (let more = 0; more < 8; more += 1) {
        await Promise.resolve();
        await step();
      }
    };
    const { query, processes } = fakeQuery((fake, prompt) => {
      if (textsOf(prompt).at(-1) === 'again') fake.result({ user_message_uuid: prompt.uuid, result: 'again' });
      else void play(fake);
    });
    const agent = new InterruptController({ graceMs: 1_000 });
    const options = { canUseTool: () => Promise.resolve({ behavior: 'allow' }) };
    const session = openSession(agent, query, { dialect: anthropic, options });
    stop = () => {
      if (how === 'kill') agent.kill('user');
      else agent.cancel('user');
      if (how === 'cancel twice') agent.cancel('user');
    };
    if (stopAt === -1) queueMicrotask(stop);
    try {
      const report = await agent.runTurn((turn) => session.prompt(turn, 'go'));
      const [first] = processes;
      const wasRead = (first?.prompts.length ?? 0) > 0;
      const told = first?.interrupts ?? 0;
      if (report.status === 'completed') expect(told).toBe(0);
      else {
        expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
        // A result may be on its way when the stop comes.
        if (!server.hasResult && how !== 'kill') expect(told).toBe(wasRead ? 1 : 0);
        else expect(told).toBeLessThanOrEqual(1);
      }
      for (const { status } of report.calls) expect(status).toMatch(/^(completed|stopped|not-started|unknown)$/);
      const next = await agent.runTurn((turn) => session.prompt(turn, 'again'));
      expect(next.unwrap()).toMatchObject({ result: 'again' });
      expect(first?.interrupts).toBe(told);
      if (how !== 'kill') expect(processes).toHaveLength(1);
      expect(agent.takeLateOutcomes().filter(({ status }) => status === 'completed')).toEqual([]);
    } finally {
      await session.close();
      await agent.close();
    }
  },
);
