/**
 * Random interruptions of an agent: what people and programs do to it while it works.
 *
 * @module
 */
import { requireOptions, requireOptionsOf, type OptionNames } from '../../../core/inside.ts';
import { array, constant, constantFrom, nat, oneof, record, type Arbitrary, type WeightedArbitrary } from 'fast-check';

import type { CancelReasonLike, Delivery, Interjection, InterruptController } from '../../../index.ts';
import type { VirtualClock } from '../../virtual-clock.ts';
import { requireChoices } from '../choices.ts';

/**
 * One thing that happens to an agent.
 *
 * @since 0.1.0
 */
export type InterruptAct =
  | { readonly do: 'cancel' | 'kill' | 'cancelAll' }
  | { readonly do: 'say'; readonly delivery: Delivery }
  /** A stop of one of the calls that there are so far; the number is taken modulo how many. */
  | { readonly do: 'cancelCall'; readonly call: number }
  | { readonly do: 'withdraw'; readonly message: number }
  /** Time goes by, in milliseconds. */
  | { readonly do: 'wait'; readonly ms: number };

/**
 * Constraints of {@link interruptScript}.
 *
 * @since 0.1.0
 */
export interface InterruptScriptConstraints {
  /** The only things that happen; everything by default. */
  readonly acts?: readonly InterruptAct['do'][] | undefined;
  /** The longest wait, in milliseconds; 500 by default. */
  readonly maxWaitMs?: number | undefined;
  /** How many acts at most; 8 by default. */
  readonly maxLength?: number | undefined;
}

const deliveries: readonly Delivery[] = ['now', 'after-current-tool', 'next-model-call', 'after-turn'];

const constraintNames: OptionNames<InterruptScriptConstraints> = { acts: 1, maxWaitMs: 1, maxLength: 1 };

/**
 * Scripts of interruptions: stops, kills, messages in every delivery, stops of one call, and time between them. Waits come
 * most often, and the end of one is where an agent usually is in the middle of something.
 *
 * @param constraints What happens, and how much of it.
 * @returns An arbitrary of scripts; a failure shrinks to few acts.
 * @throws TypeError – an act does not exist, or there is none to choose from.
 * @example
 * ```ts
 * import fc from 'fast-check'
 * import { interruptScript } from 'desist/testing/fast-check'
 *
 * const messages = interruptScript({ acts: ['say', 'wait'] })
 * fc.check(fc.property(messages, (script) => script.every((act) => act.do !== 'kill'))).failed // => false
 * ```
 * @since 0.1.0
 */
export function interruptScript(constraints: InterruptScriptConstraints = {}): Arbitrary<readonly InterruptAct[]> {
  requireOptionsOf('constraints', constraints, constraintNames);
  const { acts, maxWaitMs = 500, maxLength = 8 } = constraints;
  const table: Readonly<Record<InterruptAct['do'], WeightedArbitrary<InterruptAct>>> = {
    wait: { weight: 6, arbitrary: record({ do: constant('wait'), ms: nat({ max: maxWaitMs }) }) },
    say: { weight: 3, arbitrary: record({ do: constant('say'), delivery: constantFrom(...deliveries) }) },
    cancel: { weight: 3, arbitrary: constant({ do: 'cancel' }) },
    cancelCall: { weight: 2, arbitrary: record({ do: constant('cancelCall'), call: nat({ max: 5 }) }) },
    kill: { weight: 1, arbitrary: constant({ do: 'kill' }) },
    cancelAll: { weight: 1, arbitrary: constant({ do: 'cancelAll' }) },
    withdraw: { weight: 1, arbitrary: record({ do: constant('withdraw'), message: nat({ max: 5 }) }) },
  };
  requireChoices('acts', acts, Object.keys(table));
  const chosen = acts ?? (Object.keys(table) as InterruptAct['do'][]);
  return array(oneof(...chosen.map((act) => table[act])), { maxLength, size: 'max' });
}

/**
 * How a script is played.
 *
 * @since 0.1.0
 */
export interface PlayInterruptsOptions<M> {
  /** The clock of the agent. */
  readonly clock: VirtualClock;
  /** Makes the nth message, from 0; the text `message 0` and so on by default. */
  readonly message?: ((n: number) => M) | undefined;
  /** What a stop says; `user` by default. */
  readonly reason?: CancelReasonLike | undefined;
  /** The calls that a stop of one call can mean; without it there are none. */
  readonly callIds?: (() => readonly string[]) | undefined;
}

const playNames: OptionNames<PlayInterruptsOptions<never>> = { clock: 1, message: 1, reason: 1, callIds: 1 };

/**
 * Does everything in a script to an agent, one act after the other; after each, promise reactions run to their end.
 *
 * @checkpoint never
 * @param agent The agent; its turn should have been started.
 * @param script What happens.
 * @param options The clock, the messages, the reason.
 * @returns The messages that were sent, in order.
 * @example No interruption loses a message
 * ```ts
 * import fc from 'fast-check'
 * import { delay, InterruptController } from 'desist'
 * import { VirtualClock } from 'desist/testing'
 * import { interruptScript, playInterrupts } from 'desist/testing/fast-check'
 *
 * const law = fc.asyncProperty(interruptScript(), async (script) => {
 *   const clock = new VirtualClock()
 *   const agent = new InterruptController<string>({ clock })
 *   const read: string[] = []
 *   const running = agent.runTurn(async (turn) => {
 *     do {
 *       const { delivered } = await turn.model(({ token, readInterjections }) => (void readInterjections().length, delay(token, 100)))
 *       read.push(...delivered.map(({ message }) => message))
 *     } while (turn.hasInterjections)
 *   })
 *   const sent = await playInterrupts(agent, script, { clock })
 *   await clock.runAll()
 *   const { undelivered } = await running
 *   const found = read.length + undelivered.length + sent.filter(({ status }) => status === 'withdrawn').length
 *   return found <= sent.length
 * })
 * ;(await fc.check(law)).failed // => false
 * ```
 * @since 0.1.0
 */
export async function playInterrupts<M = string>(
  agent: InterruptController<M>,
  script: readonly InterruptAct[],
  options: PlayInterruptsOptions<M>,
): Promise<readonly Interjection<M>[]> {
  requireOptions(options, playNames);
  const { clock, message = (n) => `message ${String(n)}` as M, reason = 'user', callIds = () => [] } = options;
  const sent: Interjection<M>[] = [];
  for (const act of script) {
    if (act.do === 'say') sent.push(agent.interject(message(sent.length), { delivery: act.delivery }));
    else if (act.do === 'withdraw') sent[act.message % Math.max(1, sent.length)]?.withdraw();
    else if (act.do === 'cancelCall') {
      const ids = callIds();
      const id = ids[act.call % Math.max(1, ids.length)];
      if (id !== undefined) agent.cancelCall(id, reason);
    } else if (act.do !== 'wait') agent[act.do](reason);
    await clock.advance(act.do === 'wait' ? act.ms : 0);
  }
  return sent;
}
