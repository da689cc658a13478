/**
 * Prompts, messages that cut, stops, and an executable that obeys, is deaf or dies, in any order: the true words of each call that a stop
 * cut, and each prompt that nobody stopped, are read exactly once. A failure prints its seed and path.
 */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';

import { openSession } from '../../src/adapters/claude-agent/index.ts';
import { InterruptController } from '../../src/index.ts';
import { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import type { UserMessage } from '../../src/adapters/claude-agent/shapes.ts';
import { fakeQuery, textsOf, type FakeExecutable } from '../adapters/claude-agent/support/fake-executable.ts';
import { propertyRuns } from '../support/property-runs.ts';

const tick = (): Promise<void> => new Promise(setImmediate);

const step = fc.record({
  /** What happens to a prompt, and when: before the SDK has it, in the executable’s queue, once it was read, or while its call runs. */
  what: fc.constantFrom('nothing', 'stop', 'message', 'message and stop', 'death'),
  when: fc.constantFrom('given', 'queued', 'read', 'in a call'),
  isDeaf: fc.boolean(),
  work: fc.constantFrom('returns', 'throws', 'stops'),
});

test.prop([fc.array(step, { minLength: 1, maxLength: 5 }), fc.boolean()], { numRuns: propertyRuns(300) })(
  'S45 each prompt that nobody stopped, and the true words of each call, are read exactly once',
  async (program, areNamed) => {
    const read: unknown[] = [];
    let when: string = 'read';
    let isDeaf = false;
    let calls = 0;
    /** What waits in the executable, and what it works on. */
    const queues = new Map<FakeExecutable, { readonly queue: UserMessage[]; current: UserMessage | undefined }>();
    let work: (context: { readonly signal: AbortSignal } | undefined) => Promise<string> = () => Promise.resolve('');
    const next = async (fake: FakeExecutable): Promise<void> => {
      const state = queues.get(fake)!;
      const prompt = state.queue.shift();
      if (prompt === undefined) return;
      state.current = prompt;
      read.push(...textsOf(prompt));
      const names = { user_message_uuids: [prompt.uuid] };
      fake.step({ type: 'message_start' }, areNamed ? names : {});
      if (when === 'nothing') {
        state.current = undefined;
        fake.result(names);
      } else if (when === 'in a call') {
        const id = `call_${String(++calls)}`;
        fake.calls(id);
        await fake.begin(id);
        const extra = { _meta: { 'claudecode/toolUseId': id } };
        session.use(extra, work).catch(() => undefined);
      }
    };
    const dead = new Set<FakeExecutable>();
    const { query, processes } = fakeQuery((fake, prompt) => {
      if (dead.has(fake)) return;
      const state = queues.get(fake) ?? { queue: [], current: undefined };
      queues.set(fake, state);
      fake.onInterrupt = () => {
        if (isDeaf) return new Promise(() => undefined);
        const { current } = state;
        state.current = undefined;
        if (current !== undefined) {
          for (let of = 1; of <= calls; of += 1) fake.returns(`call_${String(of)}`, 'not wanted', true);
          fake.result({ subtype: 'error_during_execution', user_message_uuids: [current.uuid] });
        }
        return { cancelled: state.queue.splice(0).map(({ uuid }) => uuid), still_queued: [] };
      };
      state.queue.push(prompt);
      if (when !== 'queued') void next(fake);
    });
    const clock = new VirtualClock();
    const agent = new InterruptController({ clock, graceMs: 100 });
    const session = openSession(agent, query, { dialect: anthropic, graceMs: 100 });
    const owed: string[] = [];
    const stopped = new Set<string>();
    const owedCalls: string[] = [];
    try {
      for (const [at, given] of program.entries()) {
        const { what } = given;
        const name = `prompt ${String(at)}`;
        when = what === 'nothing' ? 'nothing' : given.when;
        ({ isDeaf } = given);
        let finish: () => void = () => undefined;
        work = async (context) => {
          await new Promise<void>((resolve) => {
            finish = resolve;
            context?.signal.addEventListener('abort', () => {
              resolve();
            });
          });
          if (given.work === 'stops' && context?.signal.aborted === true) throw context.signal.reason;
          if (given.work === 'throws') throw new Error('charged, no receipt');
          return 'charged';
        };
        const before = calls;
        const running = agent.runTurn((turn) => session.prompt(turn, name));
        if (what !== 'nothing') {
          if (when !== 'given') for (let more = 0; more < 4; more += 1) await tick();
          const fake = processes.at(-1);
          when = 'nothing';
          if (what.startsWith('message')) {
            // Work that runs is not cut: a message waits for it.
            finish();
            agent.interject(`message ${String(at)}`, { delivery: 'now' });
          }
          if (what.endsWith('stop')) agent.cancel('user');
          if (what === 'death') {
            finish();
            if (fake !== undefined) dead.add(fake);
            fake?.end();
          }
        }
        for (let more = 0; more < 6; more += 1) await tick();
        await clock.advance(100);
        for (let more = 0; more < 6; more += 1) await tick();
        const state = queues.get(processes.at(-1)!);
        // A call whose work has ended before the message leaves the executable at work.
        if (state?.current !== undefined) {
          for (let of = before + 1; of <= calls; of += 1) processes.at(-1)!.returns(`call_${String(of)}`);
          processes.at(-1)!.result({ user_message_uuids: [state.current.uuid] });
          state.current = undefined;
        }
        const report = await running;
        if (report.status === 'completed') {
          owed.push(name, ...(what === 'message' ? [`[PRIORITY USER MESSAGE]: message ${String(at)}`] : []));
        } else stopped.add(name);
        if (report.status !== 'completed')
          for (let of = before + 1; of <= calls; of += 1) owedCalls.push(`call_${String(of)}`);
      }
      when = 'nothing';
      isDeaf = false;
      expect((await agent.runTurn((turn) => session.prompt(turn, 'end'))).status).toBe('completed');
      const count = (text: string): number => read.filter((one) => one === text).length;
      for (const name of owed) expect([name, count(name)]).toEqual([name, 1]);
      for (const name of stopped) expect(count(name)).toBeLessThanOrEqual(1);
      for (const id of owedCalls) {
        expect([id, read.filter((one) => String(one).startsWith(`[${id}: `)).length]).toEqual([id, 1]);
      }
    } finally {
      await session.close();
      await agent.close();
    }
  },
);
