import { test } from '@fast-check/vitest';
import fc from 'fast-check';
import { describe, expect } from 'vitest';

import { rolling, rolls, steps, streams, tornStreams, type Token } from '../../bench/keys/key-streams.ts';
import { KeyDecoder, type KeyEvent } from '../../src/adapters/internal/keyboard/decoder/key-decoder.ts';
import { propertyRuns } from '../support/property-runs.ts';

/** `npm run test:fuzz` asks for more. */
const { FUZZ_RUNS: fuzzRuns } = process.env;
const runs = (usual: number): { readonly numRuns: number } => ({ numRuns: Number(fuzzRuns ?? propertyRuns(usual)) });

/** An event as a person would say it; every field counts. */
function say(event: KeyEvent): string {
  switch (event.type) {
    case 'key': {
      const held = (['super', 'ctrl', 'alt', 'shift', 'repeat'] as const)
        .filter((name) => event[name])
        .map((name) => `${name}+`);
      return `${held.join('')}${event.name}${event.text === '' ? '' : ` ${JSON.stringify(event.text)}`}`;
    }
    case 'paste':
      return `paste ${JSON.stringify(event.text)}${event.truncated ? ' truncated' : ''}`;
    case 'focus':
      return `focus ${String(event.focused)}`;
    default:
      return `${event.type} ${event.sequence}`;
  }
}

/** What the decoder makes of a stream. */
function decode(list: readonly Token[], dice: () => number): string[] {
  const decoder = new KeyDecoder();
  const said = steps(list, dice).flatMap((step) => {
    if (step instanceof Uint8Array) return decoder.feed(step);
    if (step.isNeeded) expect(decoder.pending).toBe('escape');
    if (step.isTorn) {
      expect(['sequence', 'string-end']).toContain(decoder.pending);
      return [];
    }
    return decoder.flush();
  });
  expect(decoder.pending).toBe(false);
  return said.map(say);
}

describe('the decoder', () => {
  test.prop([streams, rolls], runs(4000))(
    'K1 the decoder hears what was pressed, wherever the chunks are cut',
    (list, dice) => {
      expect(decode(list, rolling(dice))).toEqual(list.flatMap((one) => one.events));
    },
  );

  test.prop([tornStreams, rolls], runs(2000))(
    'K1 the decoder makes no key of an answer that is torn, and loses none behind it',
    (list, dice) => {
      expect(decode(list, rolling(dice))).toEqual(list.flatMap((one) => one.events));
    },
  );

  const noise = fc.array(
    fc.oneof(
      fc.constantFrom(
        0x1b,
        0x5b,
        0x4f,
        0x5d,
        0x50,
        0x3b,
        0x31,
        0x32,
        0x7e,
        0x75,
        0x4d,
        0x03,
        0x07,
        0x5c,
        0x41,
        0xc3,
        0xa9,
        0xf0,
        0x9f,
      ),
      fc.nat(255),
    ),
    { maxLength: 80 },
  );

  test.prop([noise, rolls], runs(3000))(
    'K1 the decoder makes the same of noise in one chunk and in many',
    (bytes, dice) => {
      const whole = new KeyDecoder();
      const expected = [...whole.feed(Uint8Array.from(bytes)), ...whole.flush()].map(say);
      const cut = new KeyDecoder();
      const roll = rolling(dice);
      const said: string[] = [];
      for (let from = 0; from < bytes.length;) {
        const to = from + 1 + (roll() % 5);
        said.push(...cut.feed(Uint8Array.from(bytes.slice(from, to))).map(say));
        from = to;
      }
      said.push(...cut.flush().map(say));
      expect(said).toEqual(expected);
      expect(cut.pending).toBe(false);
    },
  );

  test.prop([noise], runs(3000))('K2 the decoder loses no Ctrl+C in noise', (bytes) => {
    const decoder = new KeyDecoder();
    const events = [...decoder.feed(Uint8Array.from(bytes)), ...decoder.flush()];
    fc.pre(!events.some((event) => event.type === 'paste'));
    const heard = events.filter((event) => event.type === 'key' && event.name === 'c' && event.ctrl).length;
    expect(heard).toBeGreaterThanOrEqual(bytes.filter((byte) => byte === 0x03).length);
  });

  test.prop([noise], runs(2000))('K2 the decoder hears an ESC at the end of any noise', (bytes) => {
    const decoder = new KeyDecoder();
    decoder.feed(Uint8Array.from([...bytes, 0x1b]));
    const last = decoder.flush();
    fc.pre(!last.some((event) => event.type === 'paste'));
    expect(last.at(-1)).toMatchObject({ type: 'key', name: 'escape' });
  });
});
