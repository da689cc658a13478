/** T1: a transcript settled in one pass, whatever its length. */
import { conversation, dialectNames, settling } from '../conversations.ts';
import { compare } from '../harness.ts';
import type { Row, Workload } from '../workload.ts';

export const workload: Workload = {
  id: 'T1',
  title: 'A transcript settled in one pass: 1,000, 10,000 and 100,000 messages',
  async measure(effort) {
    const rows: Row[] = [];
    for (const dialect of dialectNames) {
      const timings = await compare(effort, {
        thousand: settling(dialect, conversation(dialect, 1_000)),
        tenThousand: settling(dialect, conversation(dialect, 10_000)),
        hundredThousand: settling(dialect, conversation(dialect, 100_000)),
      });
      rows.push(
        // In one step: nothing else runs meanwhile.
        { what: `${dialect}: 10,000 messages`, value: timings.nanos('tenThousand') / 1e6, unit: 'ms', atMost: 50 },
        {
          what: `${dialect}: a message of 10,000 / one of 1,000`,
          value: timings.ratio('tenThousand', 'thousand') / 10,
          unit: 'x',
          atMost: 2,
        },
        {
          what: `${dialect}: a message of 100,000 / one of 1,000`,
          value: timings.ratio('hundredThousand', 'thousand') / 100,
          unit: 'x',
          atMost: 3,
        },
      );
    }
    return rows;
  },
};
