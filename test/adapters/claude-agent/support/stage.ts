/** A session over a scripted executable, under an agent with a clock of its own. */
import { onTestFinished, vi } from 'vitest';

import { openSession } from '../../../../src/adapters/claude-agent/index.ts';
import { InterruptController } from '../../../../src/index.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import { anthropic } from '../../../../src/transcript/dialects/anthropic/index.ts';
import { fakeQuery, type FakeExecutable } from './fake-executable.ts';

export function stage(onPrompt: Parameters<typeof fakeQuery>[0], options: object = {}) {
  const clock = new VirtualClock();
  const agent = new InterruptController({ name: 'main', clock, graceMs: 100 });
  const { query, processes } = fakeQuery(onPrompt);
  const session = openSession(agent, query, { dialect: anthropic, graceMs: 100, ...options });
  onTestFinished(() => session.close());
  const run = (text: string, budget?: object) => agent.runTurn((turn) => session.prompt(turn, text), { budget });
  /** The process, once it has read the prompt. */
  const asked = async (prompts = 1): Promise<FakeExecutable> => {
    await vi.waitUntil(() => processes[0]?.prompts.length === prompts);
    return processes[0]!;
  };
  return { agent, clock, session, processes, run, asked };
}
