/** Tools that a program has guarded, and then gives to a door: their calls are guarded once. */
import { describe, expect, it } from 'vitest';

import { guardTool } from '../../src/guard/index.ts';
import type { Turn } from '../../src/index.ts';
import { frameworks } from './support/frameworks/index.ts';
import { aborted, callsOf } from './support/frameworks/loop-stage.ts';
import { frameworkStage } from './stage.ts';

type Guard = (turn: Turn) => <T extends object>(tool: T) => T;

const guards: readonly (readonly [string, Guard])[] = [
  ['by their signal', () => (tool) => guardTool(tool)],
  ['for their turn', (turn) => (tool) => guardTool(tool, { turn })],
  ['twice already', (turn) => (tool) => guardTool(guardTool(tool), { turn })],
];

describe.each(frameworks)('guarded tools in $name', (framework) => {
  it.each(guards)('a call of tools that were guarded %s has one row, and counts once', async (_name, guard) => {
    const { agent, baseURL } = await frameworkStage([callsOf('note'), 'Went on.', 'too many']);
    const tools = { note: () => 'noted' };
    const report = await agent.runTurn((turn) => framework.run(turn, { baseURL, tools, around: guard(turn) }), {
      budget: { toolCalls: 1 },
    });
    expect([report.status, report.calls.map(({ name, status }) => [name, status])]).toEqual([
      'completed',
      [['note', 'completed']],
    ]);
  });

  it('a stopped call of tools that were guarded has one row', async () => {
    const { agent, baseURL } = await frameworkStage([callsOf('note'), 'too many']);
    const tools = {
      note: async (given: { readonly signal: AbortSignal | undefined }) => {
        setImmediate(() => agent.cancel('user'));
        await aborted(given);
        throw given.signal?.reason;
      },
    };
    const report = await agent.runTurn((turn) => framework.run(turn, { baseURL, tools, around: guardTool }));
    expect([report.status, report.calls.map(({ name, status }) => [name, status])]).toEqual([
      'cancelled',
      [['note', 'stopped']],
    ]);
  });
});
