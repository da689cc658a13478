/** D1: random streams of a keyboard, read by three readers: stops that nobody pressed, and presses that were not heard. */
import fc from 'fast-check';
import {
  plainStreams,
  rolling,
  rolls,
  steps,
  streams,
  tornStreams,
  type Step,
  type Token,
} from '../keys/key-streams.ts';
import { ink, ours, readline, type Readers, type StopKey } from '../keys/readers.ts';
import type { Row, Workload } from '../workload.ts';

const STREAMS = 10_000;
const SEED = 20_261_124;

interface Script {
  readonly steps: readonly Step[];
  readonly expected: readonly StopKey[];
}

const kinds = ['escape', 'ctrl+c'] as const;

function script(list: readonly Token[], dice: readonly number[]): Script {
  const events = list.flatMap((token) => token.events.map((event) => event.replace('repeat+', '')));
  return {
    // The last key is complete, too, once nothing follows.
    steps: [...steps(list, rolling(dice)), { isNeeded: false }],
    expected: events.filter((event): event is StopKey => (kinds as readonly string[]).includes(event)),
  };
}

/** Splits where everybody is silent. */
function phases(all: readonly Step[]): Uint8Array[][] {
  const found: Uint8Array[][] = [[]];
  for (const step of all) {
    if (step instanceof Uint8Array) found.at(-1)?.push(step);
    else found.push([]);
  }
  return found.slice(0, -1);
}

interface Tally {
  wrong: number;
  missed: number;
}

/** Runs every script; counts the streams with a stop too many, and those with one too few. */
async function run(readers: Readers, scripts: readonly Script[]): Promise<Tally> {
  const tally = { wrong: 0, missed: 0 };
  const { keyboards } = readers;
  const open = Array.from({ length: keyboards }, () => readers.open());
  await readers.silence(); // Ink listens a moment after it was rendered
  for (let from = 0; from < scripts.length; from += keyboards) {
    const some = scripts.slice(from, from + keyboards).map(({ steps: all, expected }, index) => ({
      reader: open[index]!,
      parts: phases(all),
      expected,
    }));
    const longest = Math.max(...some.map(({ parts }) => parts.length));
    for (let phase = 0; phase < longest; phase++) {
      for (const { reader, parts } of some) for (const chunk of parts[phase] ?? []) reader.feed(chunk);
      await readers.silence();
    }
    for (const { reader, expected } of some) {
      const heard = reader.take();
      const extra = kinds.map((kind) => count(heard, kind) - count(expected, kind));
      if (extra.some((more) => more > 0)) tally.wrong += 1;
      if (extra.some((more) => more < 0)) tally.missed += 1;
    }
  }
  return tally;
}

const count = (keys: readonly StopKey[], kind: StopKey): number => keys.filter((key) => key === kind).length;

export const workload: Workload = {
  id: 'D1',
  title: 'ESC and Ctrl+C in random streams of a keyboard, cut anywhere: per 10,000 streams',
  async measure({ scale }) {
    const [major = 0] = process.versions.node.split('.').map(Number);
    const sample = (of: fc.Arbitrary<Token[]>): Script[] =>
      fc
        .sample(fc.tuple(of, rolls), { numRuns: STREAMS * scale, seed: SEED })
        .map(([list, dice]) => script(list, dice));
    const corpora = {
      'plain keys': sample(plainStreams),
      'everything a terminal may send': sample(streams),
      'torn answers between it': sample(tornStreams),
    };
    const rows: Row[] = [];
    for (const readers of [ours(), readline(), ...(major < 22 ? [] : [await ink()])]) {
      const goal = readers.name === 'desist' ? { atMost: 0 } : {};
      for (const [corpus, scripts] of Object.entries(corpora)) {
        const { wrong, missed } = await run(readers, scripts);
        rows.push(
          {
            what: `${readers.name}, ${corpus}: streams with a stop nobody pressed`,
            value: wrong / scale,
            unit: 'count',
            ...goal,
          },
          {
            what: `${readers.name}, ${corpus}: streams with a stop not heard`,
            value: missed / scale,
            unit: 'count',
            ...goal,
          },
        );
      }
    }
    return rows;
  },
};
