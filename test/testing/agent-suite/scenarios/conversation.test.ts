import { expect, it } from 'vitest';

import { describeAgent } from '../../../../src/testing/index.ts';
import { heldLoop } from '../../../support/agents/held-loop.ts';
import { finds, history, limits, runs, starts, type Message, type Spoil } from '../../../support/agents/spoilt.ts';

const isResult = ({ content }: Message): boolean =>
  typeof content !== 'string' && content.some(({ type }) => type === 'tool_result');
const unanswered = history((all) => all.filter((message) => !isResult(message)));
const forgetful = history(() => []);
/** Everything of the conversation, with one text in the place of another. */
const reworded = (from: RegExp, to: string): Spoil =>
  history((all) => JSON.parse(JSON.stringify(all).replace(from, to)) as Message[]);

/** Whoever asks a second time gets half of it. */
const onlyOnce = runs((run) => {
  let times = 0;
  return {
    history: () => {
      const given = run.history?.() as { readonly messages: readonly Message[] };
      return times++ === 0 ? given : { ...given, messages: [] };
    },
  };
});

finds([
  ['S17', 'that leaves calls unanswered', unanswered, 'each call has its result – request 2 was answered with 400'],
  ['S17', 'whose history is used up', onlyOnce, 'gets it twice – results in the next request: 0, and not 1'],
  [
    'S18',
    'that keeps half of the reasoning',
    history((all) => [...all, { role: 'assistant', content: 'let me' }]),
    "'let me' is in request 2 1 times",
  ],
  [
    'S18',
    'that touches what was signed',
    reworded(/let me ponder this/, 'let me'),
    'what was signed is sent as it came – request 2 was answered with 400',
  ],
  [
    'S18',
    'that drops what was signed',
    reworded(/\{"type":"thinking"[^}]*\},?/, ''),
    "'let me ponder this' is in request 2 0 times",
  ],
  [
    'S19',
    'that calls a running tool rejected',
    reworded(/"content":"[^"]*"(,"is_error":true)?\}\]/, '"content":"The user rejected this."}]'),
    'the model is told that the call was refused',
  ],
  ['S19', 'that says nothing of the call', forgetful, 'the model is told nothing of the call'],
  [
    'S19',
    'that blames the person for a failure',
    (good) => ({
      start: (start) =>
        good.start({
          ...start,
          tools: { ...start.tools, first: () => Promise.reject(new Error('Interrupted by the user.')) },
        }),
    }),
    'the model is told: ',
  ],
  ['S45', 'that forgets', forgetful, "'receipt 4711' is in request 2 0 times"],
  ['S46', 'that only says it changed', ({ start }) => ({ startElsewhere: start }), 'it is the same protocol'],
  [
    'S46',
    'that forgets on the way',
    ({ start }) => ({ startElsewhere: (given) => start({ ...given, history: undefined }) }),
    'it is the same protocol',
  ],
  [
    'S48',
    'that never looks again',
    runs((run) => ({ history: () => ({ ...(run.history?.() as object), agent: undefined }) })),
    "'receipt 4711' is in request 3 0 times",
  ],
  ['S50', 'that does not compact', starts(() => ({ compactInto: undefined })), 'is in request 2 0 times'],
  [
    'S50',
    'that tells again what was replaced',
    history((all) => [{ role: 'user', content: 'receipt 4711' }, ...all]),
    "in a run that is stopped behind it – 'receipt 4711' is in request 3 1 times",
  ],
  ['S50', 'that forgets what came since', history((all) => all.slice(0, 1)), 'results in request 3: 0, and not 1'],
  [
    'S51',
    'whose hook runs behind a tool that a stop left running',
    starts(({ tools, hook }) => ({
      hook: undefined,
      tools: Object.fromEntries(
        Object.entries(tools).map(([name, tool]) => [
          name,
          async (signal, context) => {
            const result = await tool(signal, context);
            await hook?.();
            return result;
          },
        ]),
      ),
    })),
    'started after the stop: hook',
  ],
  [
    'S51',
    'that takes its hook for a call',
    runs((run) => ({ calls: () => [...(run.calls?.() ?? []), { name: 'hook', status: 'completed' }] })),
    'the calls: ["first","slow","hook"], and not ["first","slow"]',
  ],
  [
    'S51',
    'that tells its model of the hook',
    history((all) => [...all, { role: 'user', content: 'formatted (hook 4711)' }]),
    "'hook 4711' is in request 2 1 times",
  ],
]);

it('S20 describeAgent passes an agent that submits every output, and finds one that submits none', async () => {
  const verdicts = [heldLoop(), heldLoop(true)].map((agent) => describeAgent(agent, { ...limits, only: ['S20'] }));
  expect((await Promise.all(verdicts)).flat()).toMatchObject([
    { status: 'passed', missing: [] },
    { status: 'failed', why: 'the outputs of all calls are submitted – request 2 was answered with 400' },
  ]);
});
