import { describe } from 'vitest';
import type { AgentRun, AgentStart } from '../../../../src/testing/agent-suite/index.ts';
import { startProgram } from '../../../support/agents/program.ts';
import { finds, type Spoil } from '../../../support/agents/spoilt.ts';

/** A fault of the runs whose model was made anew, and of no other. */
const rebuilt =
  (
    spoil: (run: AgentRun) => Partial<AgentRun>,
    start: (given: AgentStart) => Partial<AgentStart> = () => ({}),
  ): Spoil =>
  (good) => ({
    startRebuilt: (given) => {
      const run = (good.startRebuilt ?? good.start)({ ...given, ...start(given) });
      return { ...run, ...spoil(run) };
    },
  });

// The commands of a program need the processors that the others do.
describe.skipIf(process.platform === 'win32')('a program', { timeout: 60_000 }, () => {
  finds([
    [
      'S43',
      'whose commands are only its children',
      () => ({ startProgram: (start) => startProgram(start, {}) }),
      'commands that live on: ["background","beside the background","beside the session","deaf","no environment","session"]',
    ],
    ['S43', 'without a number', () => ({ startProgram: () => ({}) as never }), 'the program has no pid, got undefined'],
  ]);
});

finds([
  ['S44', 'whose new model hears no stop', rebuilt(() => ({ cancel: () => undefined })), 'until the run ends'],
  [
    'S44',
    'that calls half an answer of the new model whole',
    rebuilt(() => ({ status: () => 'completed' })),
    'the run is said to be completed',
  ],
  [
    'S44',
    'that forgets what the new model said',
    rebuilt(() => ({ history: () => undefined })),
    "'one two' is in request 2 0 times",
  ],
  [
    'S44',
    'whose new model may be silent for ever',
    rebuilt(() => ({}), () => ({ idleMs: undefined })), // prettier-ignore
    'it is given up when it falls silent – waited 4000 ms until the run ends',
  ],
  [
    'S44',
    'whose new model is not told a message',
    rebuilt(() => ({ interject: () => undefined })),
    "'use pnpm (note 4711)' is in request 2 0 times",
  ],
]);
