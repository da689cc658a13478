/** T2: what a model call pays for a conversation, and what a stored one costs that is opened again. */
import { conversation, dialectNames, held, reading, settling } from '../conversations.ts';
import { compare } from '../harness.ts';
import type { Row, Workload } from '../workload.ts';

export const workload: Workload = {
  id: 'T2',
  title: 'A conversation of 1,000 and 8,000 messages, read and repaired',
  async measure(effort) {
    const rows: Row[] = [];
    for (const dialect of dialectNames) {
      const timings = await compare(effort, {
        read: reading(await held(dialect, 1_000)),
        readMore: reading(await held(dialect, 8_000)),
        repair: settling(dialect, conversation(dialect, 1_000)),
        repairMore: settling(dialect, conversation(dialect, 8_000)),
      });
      rows.push(
        { what: `${dialect}: 1,000 messages read`, value: timings.nanos('read') / 1e6, unit: 'ms', atMost: 0.2 },
        {
          what: `${dialect}: a message of 8,000 / one of 1,000, read`,
          value: timings.ratio('readMore', 'read') / 8,
          unit: 'x',
          atMost: 2,
        },
        { what: `${dialect}: 1,000 messages repaired`, value: timings.nanos('repair') / 1e6, unit: 'ms', atMost: 2.5 },
        {
          what: `${dialect}: a message of 8,000 / one of 1,000, repaired`,
          value: timings.ratio('repairMore', 'repair') / 8,
          unit: 'x',
          atMost: 2,
        },
      );
    }
    return rows;
  },
};
