import { test } from '@fast-check/vitest';
import fc from 'fast-check';
import { describe, expect } from 'vitest';

import { createOutputGate, type OutputFooter } from '../../src/adapters/terminal/output/output-gate.ts';
import { emulate, feed, picture } from '../adapters/terminal/output/emulated-screen.ts';
import { FakeScreen } from '../adapters/terminal/output/fake-screen.ts';
import { propertyRuns } from '../support/property-runs.ts';

const pieces = [
  ...[
    'a',
    'bc ',
    'def',
    'A longer run of words, ',
    '日本',
    '語',
    '한글',
    '😀',
    '👩‍👩‍👧',
    '👍🏽',
    '🇩🇪',
    'é',
    'e\u0301',
    'a\u0308\u0323',
    'ﬁ',
    '⏎',
    '„“',
  ],
  ...['\n', '\n', '\r\n', '\r', '\b', '\t', '\n\n'],
  ...[
    '\x1b[31m',
    '\x1b[1m',
    '\x1b[2m',
    '\x1b[0m',
    '\x1b[m',
    '\x1b[22m',
    '\x1b[4;38;5;196m',
    '\x1b[48;2;1;2;3m',
    '\x1b[49m',
    '\x1b[7m',
    '\x1b[27;39m',
  ],
  ...[
    '\x1b[3C',
    '\x1b[2D',
    '\x1b[K',
    '\x1b[5G',
    '\x1b]0;title\x07',
    '\x1b]8;;https://example.org\x1b\\',
    '\x1b]8;;\x1b\\',
    '\x1b[?25l',
    '\x1b[?25h',
  ],
  ...['\x1b[2K', '\x1b[J'],
];

/**
 * Up and down as progress bars do, on a screen that has room for it: a terminal stops at its edges, and a footer brings
 * them nearer.
 */
const bars = ['\n1\n2\x1b[A\r\x1b[2K3\x1b[B', '\n\n\x1b[2Aup\x1b[2B\r', '\none\ntwo\x1b[F\x1b[Jthree'];

/** A stream, and where it is cut, what happens there. */
const written = (...list: readonly string[]): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...list), { minLength: 1, maxLength: 60 }).map((parts) => parts.join(''));
const columns = fc.constantFrom(8, 13, 20, 40);
const scene = fc.oneof(
  fc.record({ text: written(...pieces), columns, rows: fc.constantFrom(5, 6, 12) }),
  fc.record({ text: written(...pieces, ...bars), columns, rows: fc.constant(14) }),
);
const steps = fc.array(
  fc.record({
    take: fc.nat(40),
    act: fc.constantFrom('open', 'open', 'close', 'update', 'none', 'hold', 'release'),
    rows: fc.integer({ min: 1, max: 4 }),
  }),
  { maxLength: 20 },
);

// The seed is in the title; a new one each time.
const parameters = {
  numRuns: Number(process.env['FUZZ_RUNS'] ?? propertyRuns(1500)),
  ...(process.env['SEED'] !== undefined && { seed: Number(process.env['SEED']) }),
};

describe('a footer that is opened anywhere in a stream', () => {
  test.prop([scene, steps], parameters)(
    'S30 the screen is the same as without a footer',
    async ({ text, columns, rows }, list) => {
      const screen = new FakeScreen({ columns, rows });
      const gate = createOutputGate(screen);
      const output = gate.stream();
      const bytes = Buffer.from(text);
      const footers: OutputFooter[] = [];
      const holds: { release(): void }[] = [];
      let at = 0;
      for (const { take, act, rows: height } of list) {
        output.write(bytes.subarray(at, at + take));
        at += take;
        if (act === 'open' && footers.length < 2) {
          let count = 0;
          footers.push(
            gate.openFooter(({ columns: width }) => ({
              rows: Array.from({ length: height }, (_, row) => `${String(row)}>${String(count++)}`.slice(0, width - 1)),
              cursor: { row: height - 1, column: 1 },
            })),
          );
        } else if (act === 'close') footers.shift()?.release();
        else if (act === 'update') footers.at(-1)?.update();
        else if (act === 'hold') holds.push(gate.hold());
        else if (act === 'release') holds.pop()?.release();
      }
      output.end(bytes.subarray(at));
      for (const hold of holds) hold.release();
      gate.close();

      const [plain, gated] = [emulate(columns, rows), emulate(columns, rows)];
      await feed(plain, text);
      await feed(gated, screen.text());
      const [wanted, got] = [picture(plain), picture(gated)];
      plain.dispose();
      gated.dispose();
      expect(got).toBe(wanted);
    },
  );
});
