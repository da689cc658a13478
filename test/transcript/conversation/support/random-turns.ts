/**
 * Random turns of a conversation: replies with words, thoughts and calls, messages of a person with every delivery, tools
 * that answer, fail, are deaf or late, a client that fails, limits, a stop or a message at any event.
 *
 * @module
 */
import fc from 'fast-check';

import type { Delivery } from '../../../../src/index.ts';

/** One model call with its batch. */
interface Round {
  readonly words: boolean;
  readonly thought: boolean;
  readonly calls: readonly ('answers' | 'fails' | 'deaf' | 'obeys')[];
  readonly ids: 'own' | 'shared' | 'empty';
  readonly mode: 'parallel' | 'sequential';
  readonly client: 'answers' | 'fails first' | 'times out first';
  readonly aside: boolean;
}

/** What happens at one event of the turn. */
interface Happening {
  readonly at: number;
  readonly what: 'cancel' | 'kill' | 'dies' | Delivery;
}

/** One turn. */
export interface RandomTurn {
  readonly rounds: readonly Round[];
  readonly happenings: readonly Happening[];
  readonly between: 'nothing' | 'drop' | 'compact' | 'mark' | 'fork' | 'store' | 'moves';
}

const round: fc.Arbitrary<Round> = fc.record({
  words: fc.boolean(),
  thought: fc.boolean(),
  calls: fc.array(fc.constantFrom('answers', 'answers', 'fails', 'deaf', 'obeys'), { maxLength: 3 }),
  ids: fc.constantFrom('own', 'own', 'shared', 'empty'),
  mode: fc.constantFrom('parallel', 'sequential'),
  client: fc.constantFrom('answers', 'answers', 'fails first', 'times out first'),
  aside: fc.boolean(),
});

/** Several turns of one conversation. */
export const randomTurns: fc.Arbitrary<readonly RandomTurn[]> = fc.array(
  fc.record({
    rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
    happenings: fc.array(
      fc.record({
        at: fc.nat({ max: 24 }),
        what: fc.constantFrom<Happening['what'][]>(
          ...([
            'cancel',
            'kill',
            'dies',
            'now',
            'now',
            'next-model-call',
            'after-current-tool',
            'after-turn',
          ] as Happening['what'][]),
        ),
      }),
      { maxLength: 2 },
    ),
    between: fc.constantFrom('nothing', 'nothing', 'drop', 'compact', 'mark', 'fork', 'store', 'moves'),
  }),
  { minLength: 1, maxLength: 3 },
);
