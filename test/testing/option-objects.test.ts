/** Every function of the test kit and of `desist/inspect` that takes options refuses what is none. */
import fc from 'fast-check';

import { InterruptController } from '../../src/index.ts';
import { record, spanSink } from '../../src/inspect/index.ts';
import { memoryBackend } from '../../src/remote/index.ts';
import * as check from '../../src/testing/fast-check/index.ts';
import * as kit from '../../src/testing/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { describeOptions, type Taking } from '../support/option-objects.ts';

const agent = new InterruptController();
const [scheduler] = fc.sample(fc.scheduler(), 1) as [
  ReturnType<typeof fc.scheduler> extends fc.Arbitrary<infer S> ? S : never,
];
const harness = {
  name: 'none',
  start: () => {
    throw new Error('it cannot start');
  },
};

/** Takes nothing of the process while it is asked. */
async function onLeakCheck(use: (open: ReturnType<typeof kit.leakCheck>) => unknown): Promise<unknown> {
  const open = kit.leakCheck();
  try {
    return await use(open);
  } finally {
    await open.finish({ settleMs: 0 });
  }
}

const taking: Readonly<Record<string, Taking>> = {
  'testing cancelAtEvery': {
    use: (o) => kit.cancelAtEvery(() => 1, o),
    ...{ names: 'check, maxSteps, allowSwallowed, replay', right: undefined },
  },
  'testing VirtualClock': { use: (o) => new kit.VirtualClock(o), names: 'startAt', right: { startAt: 5 } },
  'testing cancelAtEvery(scenario)(cut).clock.runAll': {
    use: (o) => new kit.VirtualClock().runAll(o),
    ...{ names: 'limit', right: { limit: 5 } },
  },
  'testing leakCheck': {
    use: (o) => kit.leakCheck(o).finish({ settleMs: 0 }),
    ...{ names: 'tokens', right: undefined },
  },
  'testing leakCheck().finish': {
    use: (o) => onLeakCheck(({ finish }) => finish(o)),
    ...{ names: 'settleMs', right: { settleMs: 0 } },
  },
  'testing leakHooks': {
    use: (o) => {
      kit.leakHooks({ before: () => undefined, after: () => undefined }, o);
    },
    ...{ names: 'ignore, tokens, settleMs', right: { ignore: [] } },
  },
  'testing startModelServer': {
    use: async (o) => (await kit.startModelServer(o)).close(),
    ...{ names: 'port, script, strict', right: { strict: false } },
  },
  'testing stopBackendSuite': {
    use: (o) => kit.stopBackendSuite(o),
    ...{ names: 'open, pass, lose', right: { open: () => memoryBackend() } },
  },
  'testing describeAgent': {
    use: (o) => kit.describeAgent({ ...harness, start: harness.start }, o),
    ...{ names: 'settleMs, watchMs, reachMs, only', right: { only: [] } },
  },
  'testing describeAdapter': {
    use: (o) => kit.describeAdapter(harness, o),
    ...{ names: 'settleMs, quietMs', right: { settleMs: 1 } },
  },
  'testing/fast-check raceScheduler': {
    use: (o) => check.raceScheduler(scheduler, o),
    ...{ names: 'reason, graceMs', right: { graceMs: 5 } },
  },
  'testing/fast-check transcript': {
    use: (o) => check.transcript(openaiChat, o),
    names: 'ids, results, tools, cut, maxRounds, maxReplies, maxCalls',
    ...{ right: { cut: false }, what: 'constraints' },
  },
  'testing/fast-check interruptScript': {
    use: (o) => check.interruptScript(o),
    ...{ names: 'acts, maxWaitMs, maxLength', right: { maxLength: 5 }, what: 'constraints' },
  },
  'testing/fast-check playInterrupts': {
    use: (o) => check.playInterrupts(agent, [], o),
    ...{ names: 'clock, message, reason, callIds', right: { clock: new kit.VirtualClock() } },
  },
  'inspect record': {
    use: (o) => {
      record(agent, o).release();
    },
    ...{ names: 'maxOperations, sinks, onError, clock', right: { maxOperations: 5 } },
  },
  'inspect record().watch': {
    use: async (o) => {
      using recording = record(agent);
      await recording.watch(agent.lifetime, () => 1, o);
    },
    ...{ names: 'name, starvedMs', right: { name: 'x' } },
  },
  'inspect spanSink': {
    use: (o) => spanSink({ startSpan: () => undefined as never }, o),
    ...{ names: 'contextOf', right: { contextOf: () => 1 } },
  },
};

describeOptions(taking);
