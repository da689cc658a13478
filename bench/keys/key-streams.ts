/**
 * What a keyboard may send, and what must come of it: the streams of the decoder's property, and of the table that runs
 * them through other readers too.
 *
 * @module
 */
import fc from 'fast-check';

/** One thing a person or a terminal does: its bytes, and what must come of them. */
export interface Token {
  readonly bytes: Uint8Array;
  readonly events: readonly string[];
  /** Nothing may follow within the escape timeout: only silence tells this from the begin of something else. */
  readonly needsSilence: boolean;
  /** The line may fall silent in the middle of it: from this byte on. */
  readonly tearsFrom?: number;
}

const encoder = new TextEncoder();
const token = (bytes: string, ...events: string[]): Token => ({
  bytes: encoder.encode(bytes),
  events,
  needsSilence: false,
});
const silent = (bytes: string, ...events: string[]): Token => ({ ...token(bytes, ...events), needsSilence: true });

/** What every terminal sends for its keys, without having been asked for more. */
export const plainKeys: readonly Token[] = [
  silent('\x1b', 'escape'),
  silent('\x1b\x1b', 'escape', 'escape'),
  silent('\x1b[', 'alt+['),
  silent('\x1bP', 'alt+shift+p'),
  token('\x1b\x03', 'escape', 'ctrl+c'),
  token('\x1b\x1b\x03', 'escape', 'escape', 'ctrl+c'),
  token('\x1b\x1b[A', 'alt+up'),
  token('\x1b\x1bOB', 'alt+down'),
  token('\x1b[A', 'up'),
  token('\x1bOD', 'left'),
  token('\x1b[1;5C', 'ctrl+right'),
  token('\x1b[3~', 'delete'),
  token('\x1b[Z', 'shift+tab'),
  token('\x1b[[A', 'f1'),
  token('\x1ba', 'alt+a'),
  token('\x1bé', 'alt+é'),
  token('\x1b\r', 'alt+enter'),
  token('\x03', 'ctrl+c'),
  token('\r', 'enter "\\n"'),
  token('\x7f', 'backspace'),
  token('日', '日 "日"'),
  token('👩‍💻', '👩 "👩"', '\u200d "\u200d"', '💻 "💻"'),
];

/** What a terminal sends only where it was asked to: other ways to say a key, reports, replies, marked pastes; or over a
 * bad line. */
export const askedFor: readonly Token[] = [
  token('\x1b[12\x03', 'ctrl+c'),
  token('\x1b\x1b[I', 'escape', 'focus true'),
  token('\x1b\x1b[27u', 'escape', 'escape'),
  token('\x1b\x1b[<0;3;4M', 'escape', 'mouse <0;3;4M'),
  token('\x1b\x1b[200~x\x1b[201~', 'escape', 'paste "x"'),
  token('\x1b[27u', 'escape'),
  token('\x1b[27;129u', 'escape'),
  token('\x1b[27;1:2u', 'repeat+escape'),
  token('\x1b[27;1:3u'),
  token('\x1b[99;5u', 'ctrl+c'),
  token('\x1b[1089::99;5u', 'ctrl+c'),
  token('\x1b[1089;5u', 'ctrl+c'), // a terminal that does not say which key it is
  token('\x1b[968;5u', 'ctrl+c'), // Greek
  token('\x1b[1489;5u', 'ctrl+c'), // Hebrew
  token('\x1b[1572;5u', 'ctrl+c'), // Arabic
  token('\x1b[1586;5u', 'ctrl+c'), // Persian
  token('\x1b[4330;5u', 'ctrl+c'), // Georgian
  token('\x1b[12618;5u', 'ctrl+c'), // Korean
  token('\x1b[3649;5u', 'ctrl+c'), // Thai
  token('\x1b[1094::99;5u', 'ctrl+c'), // Serbian, of which only the terminal can know
  token('\x1b[99::105;5u', 'ctrl+c'), // Dvorak
  token('\x1b[27;5;1089~', 'ctrl+c'),
  token('\x1b[27;5;968~', 'ctrl+c'),
  token('\x1b[1093;5u', 'escape'), // Ctrl+[ on a Cyrillic layout
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
];

/** Answers of a terminal of every family, over a line that falls silent in the middle of them; the bytes in them are no keys. */
const tornAnswers: fc.Arbitrary<Token> = fc
  .record({
    begin: fc.constantFrom(']11;rgb:', 'P>|xterm', '_Gi=31;', '^note', 'Xnote'),
    body: fc.string({ unit: fc.constantFrom('a', 'f', '0', '/', ';', 'c', 'q', ' '), maxLength: 12 }),
  })
  .map(({ begin, body }) => ({ ...token(`\x1b${begin}${body}\x1b\\`), tearsFrom: 3 }));

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
/** Streams of everything. */
export const streams: fc.Arbitrary<Token[]> = fc.array(
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...plainKeys, ...askedFor) }, plainText, pasted),
  { maxLength: 12 },
);

/** Streams of everything, with torn answers between it. */
export const tornStreams: fc.Arbitrary<Token[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...plainKeys, ...askedFor) },
    { weight: 4, arbitrary: tornAnswers },
    plainText,
    pasted,
  ),
  { maxLength: 12 },
);

/** Streams of plain keys alone. */
export const plainStreams: fc.Arbitrary<Token[]> = fc.array(
  fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...plainKeys) }, plainText),
  { maxLength: 12 },
);

/** Where a stream is cut into chunks, and where there is a silence. */
export const rolls: fc.Arbitrary<number[]> = fc.array(fc.nat(11), { minLength: 1, maxLength: 60 });

export function rolling(given: readonly number[]): () => number {
  let index = 0;
  return () => given[index++ % given.length] ?? 1;
}

/** A chunk arrives, or nothing does for so long that what came before is complete – but for an answer that is torn; only some keys need that. */
export type Step = Uint8Array | { readonly isNeeded: boolean; readonly isTorn?: boolean };

/** Cuts wherever the dice say; between two tokens there may be a silence, inside one only if it can be torn. */
export function steps(list: readonly Token[], dice: () => number): Step[] {
  const found: Step[] = [];
  let waiting: number[] = [];
  const feed = (): void => {
    if (waiting.length > 0) found.push(Uint8Array.from(waiting));
    waiting = [];
  };
  for (const { bytes, needsSilence, tearsFrom = Infinity } of list) {
    const tear = tearsFrom === Infinity ? -1 : tearsFrom + ((dice() + 12 * dice()) % (bytes.length - tearsFrom));
    for (const [at, byte] of bytes.entries()) {
      if (at === tear) {
        feed();
        found.push({ isNeeded: false, isTorn: true });
      }
      waiting.push(byte);
      if (dice() % 3 === 0) feed();
    }
    if (needsSilence || dice() % 4 === 0) {
      feed();
      found.push({ isNeeded: needsSilence });
    }
  }
  feed();
  return found;
}
