/** G26: what one more message costs to settle where there are eight times as many, also where only one side speaks. */
import { conversation, dialectNames, settling, type DialectName } from '../conversations.ts';
import { medianOf, now } from '../growth.ts';
import { settle } from '../harness.ts';
import type { Row, Workload } from '../workload.ts';

const SMALL = 12_500;
const GROWTH = 8;

/** Milliseconds to settle a conversation of this length once, with nothing left from before. */
function timeOf(dialect: DialectName, size: number, speakers: 'both' | 'user', rounds: number): Promise<number> {
  const { run } = settling(dialect, conversation(dialect, size, speakers));
  return medianOf(async () => {
    await settle();
    const startedAt = now();
    await run(rounds, undefined);
    return (now() - startedAt) / rounds;
  });
}

export const workload: Workload = {
  id: 'G26',
  title: '100,000 messages settled, against 12,500',
  async measure() {
    const rows: Row[] = [];
    for (const speakers of ['both', 'user'] as const) {
      for (const dialect of dialectNames) {
        const small = await timeOf(dialect, SMALL, speakers, GROWTH);
        const large = await timeOf(dialect, SMALL * GROWTH, speakers, 1);
        rows.push({
          what: `${dialect}${speakers === 'user' ? ', of the user only' : ''}: growth per message`,
          value: large / small / GROWTH,
          unit: 'x',
          atMost: 1.5,
          floor: 3,
        });
      }
    }
    return rows;
  },
};
