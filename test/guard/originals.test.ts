import { describe, expect, it } from 'vitest';

import { guardOf, madeOf, markGuarded, unguarded } from '../../src/guard/originals.ts';
import { guardTool } from '../../src/guard/index.ts';
import { replaceMethods } from '../../src/guard/shapes.ts';
import { stage } from '../core/interrupt/kit.ts';

describe('the original of a tool', () => {
  it('the original of a tool is what its first maker was given, where one of them has guarded it', () => {
    const [tool, inner, guarded, outer] = [{}, {}, {}, {}];
    madeOf(inner, tool);
    madeOf(guarded, inner);
    madeOf(outer, guarded);
    expect(unguarded(outer)).toBe(outer);
    markGuarded(guarded, { graceMs: 5 });
    expect([outer, guarded, inner].map(guardOf)).toEqual([{ graceMs: 5 }, { graceMs: 5 }, undefined]);
    expect([outer, guarded, inner, tool].map(unguarded)).toEqual([tool, tool, inner, tool]);
    expect([unguarded(outer) === tool, unguarded(inner) === inner]).toEqual([true, true]);
  });

  it('the original of a tool is called once, whatever was made of it between two guards', async () => {
    const { agent } = stage();
    const seen: string[] = [];
    const tool = { name: 'find', execute: (_input: object, _options: object) => void seen.push('tool') };
    const between = replaceMethods(guardTool(tool), {
      execute: (execute, args, self) => {
        seen.push('between');
        return Reflect.apply(execute, self, args);
      },
    });
    const guarded = guardTool(between ?? tool);
    const report = await agent.runTurn(({ signal }) => guarded.execute({}, { signal }));
    expect([report.calls.length, seen]).toEqual([1, ['tool']]);
  });

  it('the original of a tool in a literal is called once, where only its function was guarded', async () => {
    const { agent } = stage();
    const find = guardTool((_input: object, _options: object) => 'found');
    const report = await agent.runTurn(({ signal }) =>
      guardTool({ name: 'find', execute: find }).execute({}, { signal }),
    );
    expect(report.calls.map(({ name, status }) => [name, status])).toEqual([['find', 'completed']]);
  });
});
