import { describe, expect, it } from 'vitest';

import type { KeyEvent } from '../../../../src/adapters/internal/keyboard/decoder/key-decoder.ts';
import { pressCharacter, press } from '../../../../src/adapters/internal/keyboard/decoder/key-event.ts';
import { readLine } from '../../../../src/adapters/terminal/line-editor/read-line.ts';
import { createOutputGate } from '../../../../src/adapters/terminal/output/output-gate.ts';
import { emulate, feed, textOf } from '../output/emulated-screen.ts';
import { FakeScreen } from '../output/fake-screen.ts';

async function shown(screen: FakeScreen): Promise<string> {
  const terminal = emulate(screen.columns, screen.rows);
  await feed(terminal, screen.text());
  const text = textOf(terminal);
  terminal.dispose();
  return text;
}

describe('readLine', () => {
  it.each([
    ['enter', 'hi'],
    ['escape', undefined],
  ])('shows what is typed, and after %s takes it away and says %j', async (last, said) => {
    const screen = new FakeScreen({ columns: 20, rows: 5 });
    const output = createOutputGate(screen);
    output.write('output');
    const given: string[] = [];
    let key: (event: KeyEvent) => unknown = () => undefined;
    const line = readLine({ prompt: '> ', output, onKey: (fn) => (key = fn), giveBack: (text) => given.push(text) });

    expect(key(pressCharacter('h'))).toBe(false);
    key(pressCharacter('i'));
    expect(await shown(screen)).toBe('output\n> hi');
    expect(key(press(last))).toBe(true);
    expect(await line).toBe(said);
    expect(given).toEqual(said === undefined ? ['hi'] : []);
    expect(await shown(screen)).toBe('output');
  });
});
