import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

import { describe, expect, it } from 'vitest';

import { CTRL_U, ESC, Program } from '../support/classic/program.ts';
import { missingFrom, recordingOf } from '../support/classic/recording.ts';

/** A person at the keyboard: what they wait for, what they press then, and how long they look first. */
type Play = readonly (readonly [sees: RegExp, keys: string, afterMs?: number])[];

/** Without a key in the environment each program has its own model. */
const own = { ANTHROPIC_API_KEY: '', DISPLAY: '' };

/** Everything that was shown until the program ended, one screen after the other. */
async function perform(folder: string, { file, words, play }: Performance): Promise<string> {
  const program = await Program.open(folder, { env: own, file, words });
  try {
    for (const [pattern, keys, afterMs = 300] of play) {
      await program.sees(pattern, 15_000);
      await sleep(afterMs);
      program.type(keys);
    }
    await program.sees(/<exit 0>/, 15_000);
    return stripVTControlCharacters(program.bytes);
  } finally {
    await program.close();
    await program.mark.killAll();
  }
}

interface Performance {
  readonly file?: string;
  readonly words?: string;
  readonly play: Play;
}

const performances: Readonly<Record<string, Performance>> = {
  '1-global-esc-monitor': {
    play: [
      [/> /, 'sleep 10\r'],
      [/Thinking…/, ESC],
      [/Operation cancelled[^]*> /, 'this is not what I'],
      [/what I/, '\x1b'],
      [/Session paused[^]*> /, 'quick\r'],
      [/Here you are\.[^]*> /, '\r'],
    ],
  },
  '2-blocking-repl': {
    play: [
      [/you> /, 'Explain monads.\r'],
      [/Thinking… 3 s/, ESC],
      [/stopped in[^]*Explain monads\./, `${CTRL_U}a quick one\r`],
      [/Here is a short answer\.[^]*you> /, '\r'],
    ],
  },
  '3-nested-agent': {
    play: [
      [/ESC stops/, 'a plan\r'],
      [/· shell sleep 20/, ESC],
      [/operations have ended/, `${ESC}${ESC}`, 900],
      [/Rewound[^]*a plan/, '\x7f'.repeat(6)],
      [/>(?! \S)/, '\r', 600],
    ],
  },
  '4-full-duplex-repl': {
    play: [
      [/you> /, 'make a plan\r'],
      [/step 2 of 10/, '`'],
      [/inject> /, 'skip the tests\r'],
      [/I adjust the plan\.[^]*you> /, 'a story\r'],
      [/that could/, ESC],
      [/ESC again/, `${ESC}${ESC}`],
      [/Cancelled\.[^]*you> /, '\r'],
    ],
  },
  '5-acp-agent': { file: 'client.ts', words: 'loop search', play: [[/→ search/, ESC]] },
};

describe('recordings of classic agents', () => {
  it.each(Object.entries(performances))('The recording of %s is what it shows', async (folder, performance) => {
    const recording = recordingOf(folder);
    expect(recording.length).toBeGreaterThan(2);
    expect(missingFrom(recording, await perform(folder, performance))).toEqual([]);
  });
});
