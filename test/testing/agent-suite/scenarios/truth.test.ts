import type { AgentCall } from '../../../../src/testing/agent-suite/index.ts';
import { finds, history, onlySaysSo, runs, starts, type Spoil } from '../../../support/agents/spoilt.ts';

const calls = (change: (calls: readonly AgentCall[]) => readonly AgentCall[]): Spoil =>
  runs((run) => ({ calls: () => change(run.calls?.() ?? []) }));
const allAre = (status: AgentCall['status']): Spoil => calls((rows) => rows.map((row) => ({ ...row, status })));
const withoutResults = history((all) => all.filter(({ content }) => typeof content === 'string'));

finds([
  ['S11', 'that calls a running tool stopped', allAre('stopped'), '"slow: stopped"'],
  ['S11', 'that forgets a call', calls((rows) => rows.slice(1)), 'calls: ["slow: unknown"]'],
  [
    'S11',
    'that tells nobody what came late',
    runs(() => ({ lateCalls: () => [] })),
    'waited 1500 ms until the program is told that slow is completed',
  ],
  [
    'S11',
    'that knows too early',
    runs(() => ({ lateCalls: () => [{ name: 'slow', status: 'completed' }] })),
    'late calls before the tool has ended: [{"name":"slow","status":"completed"}], and not []',
  ],
  [
    'S11',
    'that cuts what must not be cut',
    starts(() => ({ commits: [] })),
    'is waited for, and is completed – still running: ["pay"], and not []',
  ],
  ['S12', 'that loses the order', calls((rows) => [...rows].reverse()), 'order of the calls: ["third","slow","first"]'],
  ['S12', 'that calls everything stopped', allAre('stopped'), 'first is said to be stopped'],
  ['S12', 'that calls an open question done', allAre('completed'), 'pay is said to be completed'],
  ['S12', 'that asks nobody', starts(() => ({ asks: [] })), 'until the person is asked'],
  ['S13', 'that loses the call', withoutResults, 'results in the next request: 0, and not 1'],
  ['S13', 'that has the call twice', calls((rows) => [...rows, ...rows]), 'rows of the call: 2, and not 1'],
  [
    'S14',
    'that calls a stop success',
    runs(() => ({ status: () => 'completed' })),
    'status: "completed", and not "cancelled"',
  ],
  [
    'S14',
    'that calls a refusal a stop',
    runs(() => ({ status: () => 'cancelled' })),
    'status: "cancelled", and not "failed"',
  ],
  [
    'S14',
    'that calls an abort in a tool a stop',
    runs(() => ({ status: () => 'cancelled' })),
    'an abort inside a tool is no stop of the run – the run is said to be cancelled',
  ],
  ['S14', 'that calls success a failure', runs(() => ({ status: () => 'failed' })), '"failed", and not "completed"'],
  ['S15', 'that lets its request run on', onlySaysSo(3_000), 'until the request is closed'],
  [
    'S15',
    'that calls half an answer whole',
    runs(() => ({ status: () => 'completed' })),
    'the run is said to be completed',
  ],
  ['S15', 'that forgets what was read', history((all) => all.slice(0, 1)), "'one two' is in request 2 0 times"],
  ['S16', 'that costs nothing', runs(() => ({ outputTokens: () => 0 })), 'the run is said to have cost nothing'],
]);
