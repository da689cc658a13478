/** G26: what one more message costs to settle where there are eight times as many, also where only one side speaks. */
import { conversation, dialectNames, settling } from '../conversations.ts';
import { GROWTH, medianOf, now } from '../growth.ts';
import { keep, settle, type Contender } from '../harness.ts';
import { leastSettle } from '../limits/least-settle.ts';
import type { Row, Workload } from '../workload.ts';

const SMALL = 12_500;

/** Milliseconds for one round, with nothing left from before. */
function timeOf({ run }: Pick<Contender, 'run'>, rounds: number): Promise<number> {
  return medianOf(async () => {
    await settle();
    const startedAt = now();
    await run(rounds, undefined);
    return (now() - startedAt) / rounds;
  });
}

/** How much more a message costs where there are eight times as many. */
async function growthOf(contender: (size: number) => Pick<Contender, 'run'>, rounds: number): Promise<number> {
  const small = await timeOf(contender(SMALL), rounds * GROWTH);
  const large = await timeOf(contender(SMALL * GROWTH), rounds);
  return large / small / GROWTH;
}

/** The least contender. */
function least(messages: readonly object[]): Pick<Contender, 'run'> {
  return {
    run: (count) => {
      for (let i = 0; i < count; i++) keep(leastSettle(messages));
    },
  };
}

export const workload: Workload = {
  id: 'G26',
  title: '100,000 messages settled, against 12,500',
  async measure() {
    const rows: Row[] = [
      {
        what: 'limit: the least that looks at each message and lists it: growth per message',
        value: await growthOf((size) => least(conversation('openai-chat', size)), 10),
        unit: 'x',
      },
    ];
    for (const speakers of ['both', 'user'] as const) {
      for (const dialect of dialectNames) {
        rows.push({
          what: `${dialect}${speakers === 'user' ? ', of the user only' : ''}: growth per message`,
          value: await growthOf((size) => settling(dialect, conversation(dialect, size, speakers)), 1),
          unit: 'x',
          atMost: 1.5,
          floor: 3,
        });
      }
    }
    return rows;
  },
};
