/**
 * The real clients as judges: histories at random, with every kind of id that servers give, are settled, built into a
 * request by the SDK itself and sent. What one of them refuses, the checker has to have found.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

import { interruptedTranscript } from '../transcript/support/interrupted/interrupted-transcript.ts';
import { startModelServer, type ModelServer } from '../../src/testing/model-server/index.ts';
import { repair } from '../../src/transcript/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { repairWith } from '../transcript/support/repair-with.ts';
import { forms } from '../transcript/support/conversations/forms.ts';
import { formWriter } from '../transcript/support/conversations/writers.ts';
import { majors } from './majors.ts';
import { hostileTranscripts } from './support/hostile-transcripts.ts';
import { judgesOf, type Judge } from './support/transcript-judges.ts';

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({ script: () => 'Understood.' });
});
// LangChain and the AI SDK say more on the console than is asked here.
const warn = vi.spyOn(console, 'warn').mockReturnValue(undefined);
afterAll(async () => {
  await server.close();
  warn.mockRestore();
});

const judges = (await Promise.all(majors.map((major) => judgesOf(major, () => server.url)))).flat();
/** Enough for a history that is refused. */
const runs = { numRuns: Math.max(40, propertyRuns(100)) };

async function refusalOf({ send }: Judge, messages: readonly object[]): Promise<string | undefined> {
  try {
    const said = await send(messages);
    return said === 'Understood.' ? undefined : `it said ${String(said)}`;
  } catch (error) {
    return String(error);
  }
}

describe.each(forms)('$name', ({ name, dialect }) => {
  it.each(judges.filter((judge) => judge.of === name))('S17 $name takes what settling makes', async (judge) => {
    let refused = 0;
    const histories = interruptedTranscript(dialect, {
      ...(judge.takesNames === false ? { tools: ['read', 'list'] } : {}),
      ...(judge.takesRuns === false ? { maxReplies: 1 } : {}),
    });
    await fc.assert(
      fc.asyncProperty(histories, async ({ messages: history, outcomeOf }) => {
        const settled = repair(history, { dialect, outcomeOf }).messages as readonly object[];
        expect(await refusalOf(judge, settled)).toBeUndefined();
        if ((await refusalOf(judge, history)) === undefined) return;
        refused += 1;
        expect(dialect.check(history), 'what is refused is found').not.toEqual([]);
      }),
      runs,
    );
    // Ollama takes whatever it is given.
    if (name !== 'ollama') expect(refused).toBeGreaterThan(0);
  });

  const writer = formWriter({ name, dialect });
  const theirs = judges.filter((judge) => judge.of === name);
  it.each(theirs.flatMap((judge) => hostileTranscripts(writer).map((one) => ({ ...one, judge, name: judge.name }))))(
    'S17 $name takes $what',
    async ({ judge, messages, outcomes }) => {
      const settled = repairWith(messages, { dialect, outcomes }).messages as readonly object[];
      expect(dialect.check(settled)).toEqual([]);
      expect(await refusalOf(judge, settled)).toBeUndefined();
      if ((await refusalOf(judge, messages)) === undefined) return;
      expect(dialect.check(messages), 'what is refused is found').not.toEqual([]);
    },
  );
});
