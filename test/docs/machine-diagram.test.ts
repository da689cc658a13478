/**
 * The picture of the interrupt machine on the page of the architecture is drawn from the machine's table: the two cannot differ.
 * `UPDATE_DIAGRAM=1 npx vitest run --project docs` draws it again.
 */
import { readFileSync, writeFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { machine, type InterruptState, type MachineEvent, type Transition } from '../../src/core/interrupt/machine.ts';

const page = new URL('../../docs/design/architecture.md', import.meta.url);
const block = /(<!-- machine -->\n\n)[\s\S]*?(\n\n<!-- \/machine -->)/;

type Table = Readonly<Record<string, Readonly<Record<string, Transition>>>>;

/** Mermaid for a table; a cell that changes nothing is not drawn. */
function diagram(table: Table, start: string): string {
  const lines = Object.entries(table).flatMap(([from, row]) => {
    const arrows = new Map<string, string[]>();
    for (const [event, { state, effects }] of Object.entries(row)) {
      if (state === from && effects.length === 0) continue;
      const label = effects.length === 0 ? '' : ` / ${effects.join(', ')}`;
      const key = `${state} : ${label}`;
      arrows.set(key, [...(arrows.get(key) ?? []), event]);
    }
    return [...arrows].map(([key, events]) => {
      const [to = '', label = ''] = key.split(' : ');
      return `  ${from} --> ${to} : ${events.join(' | ')}${label}`;
    });
  });
  return ['```mermaid', 'stateDiagram-v2', `  [*] --> ${start}`, ...lines, '```'].join('\n');
}

describe('the machine’s picture', () => {
  it('the machine’s picture is drawn from its table', () => {
    const drawn = diagram(machine, 'idle');
    const text = readFileSync(page, 'utf8');
    if (process.env['UPDATE_DIAGRAM'] === '1') {
      writeFileSync(
        page,
        text.replace(block, (_all, open: string, close: string) => open + drawn + close),
      );
    }
    const shown = block.exec(readFileSync(page, 'utf8'))?.[0];
    expect(shown, 'draw it again: UPDATE_DIAGRAM=1 npx vitest run --project docs').toBe(
      `<!-- machine -->\n\n${drawn}\n\n<!-- /machine -->`,
    );
  });

  it('the machine’s picture would differ if one cell did', () => {
    const { running } = machine;
    const other: Record<InterruptState, Record<MachineEvent, Transition>> = {
      ...machine,
      running: { ...running, cancel: { state: 'idle', effects: [] } },
    };
    expect(diagram(other, 'idle')).not.toBe(diagram(machine, 'idle'));
    expect(diagram(other, 'idle')).toContain('running --> idle : cancel | end');
  });
});
