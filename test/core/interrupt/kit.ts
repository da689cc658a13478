/**
 * What the tests of the interrupt room share: an agent on a clock that stands still, and the work it is given.
 *
 * @module
 */
import {
  InterruptController,
  delay,
  type CancellationToken,
  type InterruptControllerOptions,
  type InterruptEvent,
} from '../../../src/index.ts';
import { VirtualClock } from '../../../src/testing/virtual-clock.ts';

/** An agent, its clock, and everything it said. */
export interface Stage {
  readonly clock: VirtualClock;
  readonly agent: InterruptController;
  readonly events: InterruptEvent[];
  /** `agent:type` of each event, in order. */
  said(): string[];
}

export function stage(options: InterruptControllerOptions = {}): Stage {
  const clock = new VirtualClock({ startAt: 1_000 });
  const agent = new InterruptController({ clock, name: 'main', ...options });
  const events: InterruptEvent[] = [];
  agent.onEvent((event) => events.push(event));
  tellAssertions(agent);
  return { clock, agent, events, said: () => events.map((event) => `${event.agent}:${event.type}`) };
}

/** A turn makes data of whatever its body throws; an assertion in there is the test's, and must not be taken for that. */
export function tellAssertions(agent: InterruptController): void {
  const { runTurn } = agent;
  const value: typeof runTurn = async (body, options) => {
    const report = await runTurn(body, options);
    const errors = [report, ...report.calls].map((each) => (each.status === 'failed' ? each.error : undefined));
    for (const error of errors) if (error instanceof Error && error.name === 'AssertionError') throw error;
    return report;
  };
  Object.defineProperty(agent, 'runTurn', { value, configurable: true });
}

/** A tool call as a provider gives it. */
export interface Call {
  readonly id: string;
  readonly name: string;
}

export function call(id: string, name: string = id): Call {
  return { id, name };
}

/** Work that ends as soon as it is told to. */
export function obedient({ token }: { readonly token: CancellationToken }): Promise<void> {
  return delay(token, 3_600_000);
}

/** Work that never ends and never listens. */
export function deaf(): Promise<never> {
  return new Promise(() => undefined);
}

/** One turn of the event loop: every reaction that is due has run. */
export function tick(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** The error a promise rejects with; listens at once. */
export function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => Promise.reject(new Error('did not reject')),
    (error: unknown) => error,
  );
}

/** What happened, and the misuse that was reported meanwhile where nobody handles it. */
export async function withReported<T>(
  run: () => Promise<T>,
): Promise<{ readonly result: T; readonly errors: readonly unknown[] }> {
  const errors: unknown[] = [];
  const { error } = console;
  console.error = (...args: readonly unknown[]) => {
    errors.push(args[1] ?? args[0]);
  };
  try {
    const result = await run();
    await tick();
    return { result, errors };
  } finally {
    console.error = error;
  }
}

/** Whether a promise has settled by now. */
export async function hasSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false;
  const mark = (): void => {
    settled = true;
  };
  promise.then(mark, mark);
  await tick();
  return settled;
}
