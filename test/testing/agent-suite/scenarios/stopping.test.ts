import { andThen, askModel, finds, onlySaysSo, runs, starts, type Spoil } from '../../../support/agents/spoilt.ts';
import type { AgentRun } from '../../../../src/testing/agent-suite/index.ts';

/** The Stop of every run is that of the last one. */
const oneStopForAll: Spoil = (good) => {
  let last: AgentRun | undefined;
  return {
    start: (start) => {
      const run = good.start(start);
      last = run;
      return { ...run, cancel: () => last?.cancel?.() };
    },
  };
};

const calledCompleted = runs((run) => ({
  calls: () => (run.calls?.() ?? []).map((call) => ({ ...call, status: 'completed' as const })),
}));

finds([
  ['S01', 'that hears no stop', runs(() => ({ cancel: () => undefined })), 'waited 1500 ms until the run ends'],
  ['S01', 'that names nobody', runs(() => ({ stillRunning: () => [] })), 'still running: [], and not ["slow"]'],
  ['S02', 'that goes on with its batch', andThen(({ tools }) => tools['third']?.()), 'started after the stop: third'],
  ['S03', 'that asks once more', andThen(askModel), '1 model requests after the stop'],
  [
    'S04',
    'whose sub-agents are on their own',
    ({ start }) => ({ startUnder: start }),
    '[true,false], and not [true,true]',
  ],
  ['S04', 'that calls its sub-agent a success', calledCompleted, 'the call of the sub-agent is said to be completed'],
  ['S05', 'that calls its sub-agent a success', calledCompleted, 'the call of the sub-agent is said to be completed'],
  [
    'S05',
    'whose sub-agent does not stop',
    (good) => ({
      startUnder: (...given) => {
        const run = good.startUnder?.(...given) ?? good.start(given[0]);
        return { ...run, cancel: () => undefined };
      },
    }),
    'waited 1500 ms until the sub-agent ends',
  ],
  [
    'S06',
    'that stops everything',
    (good) => ({ start: (start) => ({ ...good.start(start), cancel: () => good.cancelAll?.() }) }),
    'the other run was stopped as well',
  ],
  ['S06', 'that spares some', () => ({ cancelAll: () => undefined }), 'until the other run ends with everything'],
  [
    'S06',
    'that stops more than a call',
    runs((run) => ({ cancelCall: () => run.cancel?.() })),
    'the second call was stopped as well',
  ],
  [
    'S06',
    'that stops a call with the one beside it',
    starts(({ tools }) => {
      const stop = new AbortController();
      const first = async (): Promise<string> => {
        setTimeout(() => stop.abort());
        return await Promise.resolve('done');
      };
      return { tools: { ...tools, first, second: async () => (await tools['second']?.(stop.signal)) ?? '' } };
    }),
    'the second call was stopped: true, and not false',
  ],
  ['S07', 'whose stops are one', oneStopForAll, 'until the next run asks the model'],
  [
    'S07',
    'that is deaf while it starts',
    runs((run) => ({ cancel: () => setTimeout(() => run.cancel?.(), 100) })),
    'tools started: ["first"], and not []',
  ],
  ['S08', 'that only says that it is over', onlySaysSo(300), 'the port is still taken'],
  ['S09', 'that tries again all the same', andThen(askModel), '1 model requests after the stop'],
  ['S10', 'that waits for a silent model', starts(() => ({ idleMs: undefined })), 'until the run ends'],
  [
    'S10',
    'that counts the time of a tool',
    starts(({ idleMs }) => ({ limitMs: idleMs })),
    'the time of a tool is no silence – request 2 was answered with nothing',
  ],
]);
