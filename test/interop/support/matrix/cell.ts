/** One scenario played in one way: what it starts from, and what holds at the end of each. */
import { expect } from 'vitest';
import type { InterruptControllerOptions, RunTurnOptions, Turn, TurnReport } from '../../../../src/index.ts';
import type { ModelScript } from '../../../../src/testing/model-server/index.ts';
import { frameworkStage, sentTexts, type FrameworkStage } from '../../stage.ts';
import type { LoopOptions } from '../frameworks/framework.ts';
import type { Way } from './way.ts';

export interface Scenario {
  /** Begins with its number. */
  readonly title: string;
  /** Whether the model calls tools in it. */
  readonly hasTools: boolean;
  play(way: Way): Promise<void>;
}

/** What a stopped turn must have left. */
export interface Left {
  /** Requests that the provider saw, and no more after the stop. */
  readonly requests: number;
  /** The rows of model calls in the report of the stop; none, if no call ran then. */
  readonly model?: readonly string[];
  /** The words that had come of the answer that was cut. */
  readonly words?: string;
}

export interface Cell extends FrameworkStage {
  run(options?: Omit<LoopOptions, 'baseURL' | 'stream'>, turn?: RunTurnOptions): Promise<TurnReport<string>>;
  /** Nothing follows a stop, and the provider takes the next request. */
  endsWith(report: TurnReport<string>, left: Left): Promise<void>;
  /** How often a request told the model of what the person said. */
  told(request: number): number;
}

/** What the person says while it works. */
export const message = 'use pnpm';

export async function cellOf(way: Way, script: ModelScript, options: InterruptControllerOptions = {}): Promise<Cell> {
  const stage = await frameworkStage(script, { graceMs: 0, ...options });
  const { agent, server, baseURL } = stage;
  let turn: Turn | undefined;
  const chat = way.chat?.();
  return {
    ...stage,
    run(own, turnOptions) {
      const body = (given: Omit<Turn, 'model'>): Promise<string> => {
        turn = given as Turn;
        return way.run(turn, { ...own, baseURL, stream: way.stream });
      };
      return chat === undefined ? agent.runTurn(body, turnOptions) : chat.runTurn(agent, 'go', body, turnOptions);
    },
    async endsWith(report, { requests, model = [], words = '' }) {
      await loops();
      expect(server.requests).toHaveLength(requests);
      const rows = report.stop?.operations.filter(({ kind }) => kind === 'model') ?? [];
      expect(rows.map(({ outcome }) => outcome)).toEqual(model);
      expect(wordsIn(report)).toBe(way.hasWords ? way.kept(words) : '');
      await way.goOn(turn as Turn, report, baseURL, chat);
      expect(server.requests.map(({ status }) => status).slice(requests)).toEqual([200]);
    },
    told: (request) => sentTexts(server, request).filter((text) => text.includes(message)).length,
  };
}

/** What its model calls had said when they were cut. */
export function wordsIn(report: TurnReport<unknown>): string {
  return report.partials.map(({ value }) => (value as { text: string }).text).join('');
}

/**
 * Lets everything arrive that has been sent: turns of the event loop, not milliseconds, because timers of a process that had
 * to wait for the processor are due before what waits in its sockets.
 */
export async function loops(): Promise<void> {
  for (let turn = 0; turn < 60; turn++) await new Promise(setImmediate);
}

/** Resolves once so many pieces of an answer have been sent and have arrived; without words, once it has been asked for. */
export async function arrived({ server }: Cell, way: Way, pieces: number, request = 1): Promise<void> {
  await server.waitFor(({ requests }) => {
    const asked = requests[request - 1];
    return way.hasWords ? asked?.deltasWritten === pieces : asked;
  });
  await loops();
}
