/**
 * Conversations in no dialect: what was said, called and answered, with the odd ids that servers give, and cut somewhere.
 *
 * Invariant: a conversation is a function of what was drawn, so a seed and a path give it again.
 *
 * @module
 */
import { requireOptionsOf, type OptionNames } from '../../../core/inside.ts';
import { array, boolean, constant, constantFrom, nat, record, tuple, type Arbitrary } from 'fast-check';

import { requireChoices, requireCount } from '../choices.ts';

/**
 * How the calls of one conversation get their ids. `unique`; `empty` texts; `missing` at all; `shared` by all; `foreign`, with
 * characters that another provider refuses; `long`, beyond what a provider takes; `renumbered` from 0 in every round; `mixed`,
 * every second one empty.
 *
 * @since 0.1.0
 */
export type CallIdStyle = 'unique' | 'empty' | 'missing' | 'shared' | 'foreign' | 'long' | 'renumbered' | 'mixed';

/**
 * Which results of a round there are: `all` in order, all `shuffled`, only `some`, `none`, each `twice`, or all and an
 * `orphan`, whose call does not exist.
 *
 * @since 0.1.0
 */
export type ResultStyle = 'all' | 'shuffled' | 'some' | 'none' | 'twice' | 'orphan';

/**
 * One call of a tool; its arguments hold `call<mark>`.
 *
 * @since 0.1.0
 */
export interface ConversationCall {
  readonly mark: string;
  /** `undefined` if the server gave none. */
  readonly id: string | undefined;
  readonly name: string;
  /** It was cut inside its arguments. */
  readonly isHalf: boolean;
}

/**
 * One result; it holds `result<mark>`, with the mark of its call.
 *
 * @since 0.1.0
 */
export interface ConversationResult {
  readonly mark: string;
  readonly id: string | undefined;
  readonly name: string;
  /** No call of the conversation is its own. */
  readonly isOrphan: boolean;
}

/**
 * What the model says at once.
 *
 * @since 0.1.0
 */
export interface ConversationReply {
  readonly text: string;
  readonly calls: readonly ConversationCall[];
}

/**
 * A prompt, the replies that follow it directly, one after the other, and the results that came.
 *
 * @since 0.1.0
 */
export interface ConversationRound {
  readonly prompt: string;
  readonly replies: readonly ConversationReply[];
  readonly results: readonly ConversationResult[];
}

/**
 * A conversation that was cut. Everything in it carries a mark that nothing else of it has, so that you can ask later
 * whether it is still there: prompts and replies are `text<1>`, arguments hold `call<2>`, results `result<2>`.
 *
 * @since 0.1.0
 */
export interface Conversation {
  readonly rounds: readonly ConversationRound[];
  /** The marks of the calls whose result is in it. */
  readonly answered: ReadonlySet<string>;
}

/**
 * Constraints of {@link conversation}.
 *
 * @since 0.1.0
 */
export interface ConversationConstraints {
  /** How calls get their ids; a failure shrinks towards the first. Every style by default, `unique` first. */
  readonly ids?: readonly CallIdStyle[] | undefined;
  /** Which results there are; a failure shrinks towards the first. Every style by default, `all` first. */
  readonly results?: readonly ResultStyle[] | undefined;
  /** The names of the tools; by default two plain ones and two that a provider refuses. */
  readonly tools?: readonly string[] | undefined;
  /** Whether the last call may be cut inside its arguments; true by default. */
  readonly cut?: boolean | undefined;
  /** How many rounds at most; 3 by default. */
  readonly maxRounds?: number | undefined;
  /** How many replies follow each other directly at most; 2 by default. */
  readonly maxReplies?: number | undefined;
  /** How many calls a reply makes at most; 2 by default, 0 for none. */
  readonly maxCalls?: number | undefined;
}

const idStyles: readonly CallIdStyle[] = [
  'unique', 'empty', 'missing', 'shared', 'foreign', 'long', 'renumbered', 'mixed',
]; // prettier-ignore
const resultStyles: readonly ResultStyle[] = ['all', 'shuffled', 'some', 'none', 'twice', 'orphan'];

/** Whether a result names its call without a doubt, so that it can be found anywhere. */
const isClear = (ids: CallIdStyle): boolean => ids === 'unique' || ids === 'foreign' || ids === 'long';

/** What is drawn of a round; the number of calls for each reply. */
interface RoundShape {
  readonly replies: readonly number[];
  readonly results: ResultStyle;
  readonly tools: readonly string[];
}

const constraintNames: OptionNames<ConversationConstraints> = {
  ids: 1,
  results: 1,
  tools: 1,
  cut: 1,
  maxRounds: 1,
  maxReplies: 1,
  maxCalls: 1,
};

/**
 * Conversations with a model that calls tools, as they are when something was interrupted.
 *
 * @throws TypeError – a style does not exist, or there is none to choose from. RangeError – a limit is no count.
 */
export function conversation(constraints: ConversationConstraints = {}): Arbitrary<Conversation> {
  requireOptionsOf('constraints', constraints, constraintNames);
  const {
    ids,
    results,
    tools = ['read', 'list', 'fs.read', '9 lives'],
    cut = true,
    maxRounds = 3,
    maxReplies = 2,
    maxCalls = 2,
  } = constraints;
  requireChoices('ids', ids, idStyles);
  requireChoices('results', results, resultStyles);
  requireChoices('tools', tools, tools);
  requireCount('maxRounds', maxRounds);
  requireCount('maxReplies', maxReplies);
  if (maxCalls !== 0) requireCount('maxCalls', maxCalls);
  const calls = maxReplies * maxCalls;
  const round = record({
    replies: array(nat({ max: maxCalls }), { minLength: 1, maxLength: maxReplies, size: 'max' }),
    // Twice, because most results of a conversation did come.
    results: constantFrom(...(results ?? (['all', ...resultStyles] as const))),
    tools: array(constantFrom(...tools), { minLength: calls, maxLength: calls, size: 'max' }),
  });
  return tuple(
    constantFrom(...(ids ?? idStyles)),
    array(round, { minLength: 1, maxLength: maxRounds, size: 'max' }),
    cut ? boolean() : constant(false),
  ).map(([style, shapes, isCut]) => conversationOf(style, shapes, isCut));
}

function conversationOf(ids: CallIdStyle, shapes: readonly RoundShape[], isCut: boolean): Conversation {
  let marks = 0;
  const mark = (): string => String((marks += 1));
  const answered = new Set<string>();
  const rounds = shapes.map(({ replies, results, tools }, at): ConversationRound => {
    const prompt = `text<${mark()}>`;
    let place = 0;
    // Where replies that follow each other share ids, nobody can say which of them a result is of.
    const counts = ids === 'shared' || ids === 'renumbered' ? replies.slice(0, 1) : replies;
    const said = counts.map((count, i): ConversationReply => {
      const text = `text<${mark()}>`;
      const calls = Array.from({ length: count }, (_, n): ConversationCall => {
        const own = mark();
        const isLast = at === shapes.length - 1 && i === counts.length - 1 && n === count - 1;
        const call = { mark: own, id: idOf(ids, own, place), name: tools[place] ?? '', isHalf: isCut && isLast };
        place += 1;
        return call;
      });
      return { text, calls };
    });
    const whole = said.flatMap(({ calls }) => calls).filter(({ isHalf }) => !isHalf);
    const done = resultsOf(results, isClear(ids), whole, mark);
    for (const { mark: own, isOrphan } of done) if (!isOrphan) answered.add(own);
    return { prompt, replies: said, results: done };
  });
  return { rounds, answered };
}

function idOf(style: CallIdStyle, mark: string, place: number): string | undefined {
  switch (style) {
    case 'unique':
      return `id_${mark}`;
    case 'empty':
      return '';
    case 'missing':
      return undefined;
    case 'shared':
      return 'shared';
    case 'foreign':
      return `functions.read:${mark}`;
    case 'long':
      return `call_${'x'.repeat(80)}${mark}`;
    case 'renumbered':
      return `call_${String(place)}`;
    case 'mixed':
      return place % 2 === 0 ? '' : `id_${mark}`;
  }
}

function resultsOf(
  style: ResultStyle,
  isFoundById: boolean,
  calls: readonly ConversationCall[],
  mark: () => string,
): readonly ConversationResult[] {
  const all = calls.map(({ mark: own, id, name }): ConversationResult => ({ mark: own, id, name, isOrphan: false }));
  switch (style) {
    case 'all':
      return all;
    case 'shuffled':
      return isFoundById ? [...all].reverse() : all;
    case 'some':
      // Without ids only the order tells, so only what comes last can be missing.
      return isFoundById ? all.slice(1) : all.slice(0, -1);
    case 'none':
      return [];
    case 'twice':
      return isFoundById ? [...all, ...all] : all;
    case 'orphan':
      return [...all, { mark: mark(), id: 'nobody', name: 'read', isOrphan: true }];
  }
}
