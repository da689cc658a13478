/** What a caller without types, or with a value from a form, may hand over: refused at the call, by name, and never ignored. */
import { describe, expect, it } from 'vitest';

import {
  CancellationToken,
  CancellationTokenSource,
  InterruptController,
  interruptedLine,
  interruptedNote,
  lateNote,
  pollUntil,
  raceCancellation,
  retry,
  runUntilCancelled,
  scope,
  withCancellation,
  yieldCheckpoint,
  type ModelContext,
  type ToolContext,
  type Turn,
} from '../../src/index.ts';
import { continuationNote } from '../../src/core/interrupt/messages/model-notes.ts';
import { reasonToJSON } from '../../src/core/foundation/reason-json.ts';

/** What `act` throws, at once or as a rejection; fails if it throws nothing. */
async function refusal(act: () => unknown): Promise<string> {
  try {
    await act();
  } catch (error) {
    return String(error);
  }
  throw new Error('it was accepted');
}

const inTurn = (act: (turn: Turn<string>) => unknown) => (): Promise<unknown> =>
  new InterruptController().runTurn(act).then((report) => report.unwrap());

const inModel = (act: (context: ModelContext<string>) => unknown): (() => Promise<unknown>) =>
  inTurn((turn) => turn.model((context) => void act(context)));

const inTool = (act: (context: ToolContext) => unknown): (() => Promise<unknown>) =>
  inTurn(async (turn) => {
    const outcome = await turn.tool({ id: 'c1', name: 'build' }, (_call, context) => void act(context));
    if (outcome.status === 'failed') throw outcome.error;
  });

const work = Promise.resolve(1);
const notObjects = ['x', 5, null, true, NaN, () => 1];
const notTexts = [1, null, {}, [], NaN, undefined, true, Symbol('s')];
const notFlags = ['', 'true', 1, null, {}, []];

/** Every way that is tried, with the name that the refusal has to say. */
const ways: readonly [string, string, readonly unknown[], (value: never) => () => unknown][] = [
  ['turn.track(value, work)', 'operation', notObjects, (value) => inTurn((turn) => turn.track(value, work))],
  [
    'the kind of turn.track',
    'operation.kind',
    notTexts,
    (kind) => inTurn((turn) => turn.track({ kind, name: 'n' }, work)),
  ],
  [
    'the name of turn.track',
    'operation.name',
    notTexts,
    (name) => inTurn((turn) => turn.track({ kind: 'k', name }, work)),
  ],
  [
    'the outcomeOf of turn.track',
    'operation.outcomeOf',
    ['x', 5, null, {}],
    (outcomeOf) => inTurn((turn) => turn.track({ kind: 'k', name: 'n', outcomeOf }, work)),
  ],
  [
    'the work of turn.track',
    'work',
    ['x', 5, null, {}, () => work],
    (value) => inTurn((turn) => turn.track({ kind: 'k', name: 'n' }, value)),
  ],
  [
    'the kind of a tool’s track',
    'operation.kind',
    notTexts,
    (kind) => inTool((context) => context.track({ kind, name: 'n' }, work)),
  ],
  ['usage(value)', 'usage', notObjects, (value) => inModel((context) => context.usage(value))],
  [
    'the outputTokens of usage',
    'outputTokens',
    ['', '9', null, {}, [], true, NaN, -1, Infinity, Symbol('s')],
    (outputTokens) => inModel((context) => context.usage({ outputTokens })),
  ],
  [
    'the words of decline',
    'userMessage',
    [1, null, {}, [], Symbol('s')],
    (userMessage) => inTool((context) => context.decline(userMessage)),
  ],
  [
    'canDetach of tools',
    'canDetach',
    notFlags,
    (canDetach) => inTurn((turn) => turn.tools([], () => 1, { canDetach })),
  ],
  ['detached of child', 'detached', notFlags, (detached) => () => new InterruptController().child('c', { detached })],
  [
    'detached of subagent',
    'detached',
    notFlags,
    (detached) => inTool((context) => context.subagent('c', { detached })),
  ],
  [
    'the options of onEvent',
    'options',
    notObjects,
    (value) => () => new InterruptController().onEvent(() => undefined, value),
  ],
  [
    'operations of onEvent',
    'options.operations',
    notFlags,
    (operations) => () => new InterruptController().onEvent(() => undefined, { operations }),
  ],
  ['new CancellationTokenSource(value)', 'options', notObjects, (value) => () => new CancellationTokenSource(value)],
  ['token.child(value)', 'options', notObjects, (value) => () => CancellationToken.none.child(value)],
  ['the options of withCancellation', 'options', notObjects, (value) => () => withCancellation(null, () => 1, value)],
  ['the options of runUntilCancelled', 'options', notObjects, (value) => () => runUntilCancelled(null, () => 1, value)],
  ['the options of raceCancellation', 'options', notObjects, (value) => () => raceCancellation(null, work, value)],
  ['the options of pollUntil', 'options', notObjects, (value) => () => pollUntil(null, () => 1, value)],
  ['the options of retry', 'options', notObjects, (value) => () => retry(null, () => 1, value)],
  ['the options of scope', 'options', notObjects, (value) => () => scope(null, () => 1, value)],
  ['the options of yieldCheckpoint', 'options', notObjects, (value) => () => yieldCheckpoint(null, value)],
  ['interruptedNote(value)', 'reason', [...notObjects, {}, undefined], (value) => () => interruptedNote(value)],
  ['continuationNote(value)', 'reason', [...notObjects, {}, undefined], (value) => () => continuationNote(value)],
  ['lateNote(value)', 'outcome', [...notObjects, {}, undefined], (value) => () => lateNote(value)],
  ['interruptedLine(value)', 'name', notTexts, (value) => () => interruptedLine(value)],
  ['reasonToJSON(value)', 'reason', [...notObjects, undefined], (value) => () => reasonToJSON(value)],
];

describe('bad input', () => {
  it.each(ways)('%s is refused, and named', async (_what, name, values, act) => {
    for (const value of values) {
      const said = await refusal(act(value as never));
      expect(said).toMatch(/^(?:Type|Range)Error: /);
      expect(said.slice(said.indexOf(': ') + 2)).toMatch(new RegExp(`^${name}(?:\\.status)? must be .*, got .`, 's'));
    }
  });
});
