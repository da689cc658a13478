/** Agents that do one thing wrong, and the check that the suite says so in these words. */
import { expect, it } from 'vitest';
import { describeAgent, type AgentHarness } from '../../../src/testing/index.ts';
import type { AgentRun, AgentStart } from '../../../src/testing/agent-suite/index.ts';
import { goodAgent } from './own-loop.ts';

/** What a fault makes of a good agent. */
export type Spoil = (good: AgentHarness) => Partial<AgentHarness>;

export const limits = { settleMs: 1_500, watchMs: 200, reachMs: 4_000 };

/** A fault in the runs. */
export const runs =
  (spoil: (run: AgentRun, start: AgentStart) => Partial<AgentRun>): Spoil =>
  (good) => ({
    start: (start) => {
      const run = good.start(start);
      return { ...run, ...spoil(run, start) };
    },
  });

/** A fault in what a run is started with. */
export const starts =
  (spoil: (start: AgentStart) => Partial<AgentStart>): Spoil =>
  (good) => ({ start: (start) => good.start({ ...start, ...spoil(start) }) });

/** Does something more when it is stopped. */
export const andThen = (act: (start: AgentStart) => unknown): Spoil =>
  runs((run, start) => ({ cancel: () => [run.cancel?.(), act(start)] }));

/** Asks the model, who knows why. */
export const askModel = ({ url }: AgentStart): Promise<unknown> =>
  fetch(`${url}/v1/messages`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', max_tokens: 9, messages: [{ role: 'user', content: 'and?' }] }),
  }).then((response) => response.text());

/** Says that it is over as soon as it is stopped, and stops that much later. */
export const onlySaysSo = (lateMs: number): Spoil =>
  runs((run) => {
    let say: () => void = () => undefined;
    const stopped = new Promise<void>((resolve) => (say = resolve));
    return {
      done: new Promise((resolve) => {
        void run.done.then(resolve, resolve);
        void stopped.then(resolve);
      }),
      cancel: () => {
        say();
        setTimeout(() => run.cancel?.(), lateMs);
      },
    };
  });

/** One message of Anthropic's, as far as these tests change it. */
export interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

/** Hands on another conversation than the one that was. */
export const history = (change: (messages: readonly Message[]) => readonly unknown[]): Spoil =>
  runs((run) => ({
    history: () => {
      const given = run.history?.() as { readonly messages: readonly Message[] };
      return { ...given, messages: change(given.messages) };
    },
  }));

type Row = readonly [scenario: string, fault: string, spoil: Spoil, why: string];

/** One test per row: the scenario, what the agent does wrong, the fault, and what the verdict says. */
export function finds(rows: readonly Row[]): void {
  // They wait more than they compute; what measures the event loop must have it to itself.
  check(
    it.concurrent,
    rows.filter(([scenario]) => scenario !== 'S41'),
  );
  check(
    it,
    rows.filter(([scenario]) => scenario === 'S41'),
  );
}

function check(test: Pick<typeof it, 'each'>, rows: readonly Row[]): void {
  test.each(rows)('%s finds an agent %s', async (scenario, _fault, spoil, why) => {
    const good = goodAgent();
    const [verdict] = await describeAgent({ ...good, ...spoil(good) }, { ...limits, only: [scenario] });
    expect(verdict?.why).toContain(why);
    expect(verdict?.status).toBe('failed');
  });
}
