import { test } from '@fast-check/vitest';
import fc from 'fast-check';
import { describe, expect } from 'vitest';

import { KeyDecoder, type KeyEvent } from '../../src/adapters/internal/keyboard/decoder/key-decoder.ts';

/** One thing a person or a terminal does: its bytes, and what must come of them. */
interface Token {
  readonly bytes: Uint8Array;
  readonly events: readonly string[];
  /** Nothing may follow within the escape timeout: only silence tells this from the begin of something else. */
  readonly needsSilence: boolean;
}

const encoder = new TextEncoder();
const token = (bytes: string, ...events: string[]): Token => ({
  bytes: encoder.encode(bytes),
  events,
  needsSilence: false,
});
const silent = (bytes: string, ...events: string[]): Token => ({ ...token(bytes, ...events), needsSilence: true });

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

const fixed: readonly Token[] = [
  silent('\x1b', 'escape'),
  silent('\x1b\x1b', 'escape', 'escape'),
  silent('\x1b[', 'alt+['),
  silent('\x1bP', 'alt+shift+p'),
  token('\x1b\x03', 'escape', 'ctrl+c'),
  token('\x1b\x1b\x03', 'escape', 'escape', 'ctrl+c'),
  token('\x1b\x1b[A', 'alt+up'),
  token('\x1b\x1bOB', 'alt+down'),
  token('\x1b\x1b[I', 'escape', 'focus true'),
  token('\x1b\x1b[27u', 'escape', 'escape'),
  token('\x1b\x1b[<0;3;4M', 'escape', 'mouse <0;3;4M'),
  token('\x1b\x1b[200~x\x1b[201~', 'escape', 'paste "x"'),
  token('\x1b[A', 'up'),
  token('\x1bOD', 'left'),
  token('\x1b[1;5C', 'ctrl+right'),
  token('\x1b[3~', 'delete'),
  token('\x1b[Z', 'shift+tab'),
  token('\x1b[[A', 'f1'),
  token('\x1b[27u', 'escape'),
  token('\x1b[27;129u', 'escape'),
  token('\x1b[27;1:2u', 'repeat+escape'),
  token('\x1b[27;1:3u'),
  token('\x1b[99;5u', 'ctrl+c'),
  token('\x1b[1089::99;5u', 'ctrl+c'),
  token('\x1b[91;5u', 'escape'),
  token('\x1b[27;5;99~', 'ctrl+c'),
  token('\x1b[27;1;27;1;0;1_\x1b[27;1;27;0;0;1_', 'escape'),
  token('\x1b[O', 'focus false'),
  token('\x1b[M !!', 'mouse M !!'),
  token('\x1b[?62;22c', 'reply ?62;22c'),
  token('\x1b[24;80R', 'reply 24;80R'),
  token('\x1b]11;rgb:00/00/00\x07'),
  token('\x1b]52;c;QQ==\x1b\\'),
  token('\x1bP>|xterm\x1b\\'),
  token('\x1b[200~\x1b\x03\x1b[20\x1b[A\x1b[201~', 'paste "\\u001b\\u0003\\u001b[20\\u001b[A"'),
  token('\x1b[12\x03', 'ctrl+c'),
  token('\x1ba', 'alt+a'),
  token('\x1bé', 'alt+é'),
  token('\x1b\r', 'alt+enter'),
  token('\x03', 'ctrl+c'),
  token('\r', 'enter "\\n"'),
  token('\x7f', 'backspace'),
  token('日', '日 "日"'),
  token('👩‍💻', '👩 "👩"', '\u200d "\u200d"', '💻 "💻"'),
];

const plainText = fc
  .string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 })
  .map((text) =>
    token(
      text,
      ...Array.from(text, (c) =>
        c === ' '
          ? 'space " "'
          : c === c.toLowerCase()
            ? `${c} ${JSON.stringify(c)}`
            : `shift+${c.toLowerCase()} ${JSON.stringify(c)}`,
      ),
    ),
  );
const pasted = fc
  .string({ unit: fc.constantFrom('a', 'é', '\x1b', '\x1b[', '\x03', '\n', '`', '~', '2', '0') })
  .filter((text) => !text.includes('\x1b[201~'))
  .map((text) => token(`\x1b[200~${text}\x1b[201~`, `paste ${JSON.stringify(text)}`));
const tokens = fc.array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...fixed) }, plainText, pasted), {
  maxLength: 12,
});

/** Cuts wherever the dice say; between two tokens there may be a long silence, inside one never. */
function decode(list: readonly Token[], dice: () => number): string[] {
  const decoder = new KeyDecoder();
  const said: string[] = [];
  let waiting: number[] = [];
  const feed = (): void => {
    said.push(...decoder.feed(Uint8Array.from(waiting)).map(say));
    waiting = [];
  };
  for (const { bytes, needsSilence } of list) {
    for (const byte of bytes) {
      waiting.push(byte);
      if (dice() % 3 === 0) feed();
    }
    if (needsSilence || dice() % 4 === 0) {
      feed();
      if (needsSilence) expect(decoder.pending).toBe('escape');
      said.push(...decoder.flush().map(say));
    }
  }
  feed();
  expect(decoder.pending).toBe(false);
  return said;
}

function rolling(rolls: readonly number[]): () => number {
  let index = 0;
  return () => rolls[index++ % rolls.length] ?? 1;
}

const rolls = fc.array(fc.nat(11), { minLength: 1, maxLength: 60 });

describe('the decoder', () => {
  test.prop([tokens, rolls], { numRuns: 4000 })(
    'K1 the decoder hears what was pressed, wherever the chunks are cut',
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

  test.prop([noise, rolls], { numRuns: 3000 })(
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

  test.prop([noise], { numRuns: 3000 })('K2 the decoder loses no Ctrl+C in noise', (bytes) => {
    const decoder = new KeyDecoder();
    const events = [...decoder.feed(Uint8Array.from(bytes)), ...decoder.flush()];
    fc.pre(!events.some((event) => event.type === 'paste'));
    const heard = events.filter((event) => event.type === 'key' && event.name === 'c' && event.ctrl).length;
    expect(heard).toBeGreaterThanOrEqual(bytes.filter((byte) => byte === 0x03).length);
  });

  test.prop([noise], { numRuns: 2000 })('K2 the decoder hears an ESC at the end of any noise', (bytes) => {
    const decoder = new KeyDecoder();
    decoder.feed(Uint8Array.from([...bytes, 0x1b]));
    const last = decoder.flush();
    fc.pre(!last.some((event) => event.type === 'paste'));
    expect(last.at(-1)).toMatchObject({ type: 'key', name: 'escape' });
  });
});
