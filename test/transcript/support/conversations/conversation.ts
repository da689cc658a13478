/**
 * Conversations in no dialect: what was said, called and answered, with the odd ids that servers give. Each dialect
 * writes them down in its own form.
 *
 * @module
 */
import fc from 'fast-check';

/** One call; its arguments hold `call<mark>`. */
export interface Call {
  readonly mark: string;
  readonly id: string | undefined;
  readonly name: string;
  /** It was cut inside its arguments. */
  readonly isHalf: boolean;
}

/** One result; its content is `result<mark>`. */
export interface Result {
  readonly mark: string;
  readonly id: string | undefined;
  readonly name: string;
  /** No call of the conversation has its id. */
  readonly isOrphan: boolean;
}

/** What the model says at once. */
export interface Reply {
  readonly text: string;
  readonly calls: readonly Call[];
}

/** A prompt, replies that follow each other directly, and the results that came. */
export interface Round {
  readonly prompt: string;
  readonly replies: readonly Reply[];
  readonly results: readonly Result[];
}

/** What a judge sees of a transcript: calls, answers, and where the one cannot belong to the other any more. */
export type Sight =
  | { readonly call: { readonly id: unknown; readonly content: unknown } }
  | { readonly answer: { readonly id: unknown; readonly content: unknown } }
  | 'border';

/** How ids are given in one conversation. */
const styles = ['own', 'empty', 'missing', 'shared', 'foreign', 'long', 'anew', 'mixed'] as const;
type Style = (typeof styles)[number];

function idOf(style: Style, mark: string, place: number): string | undefined {
  switch (style) {
    case 'own':
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
    case 'anew':
      return `call_${String(place)}`;
    case 'mixed':
      return place % 2 === 0 ? '' : `id_${mark}`;
  }
}

/** Whether a result names its call without a doubt, so that it can be found anywhere. */
const isClear = (style: Style): boolean => style === 'own' || style === 'foreign' || style === 'long';

const roundShape = fc.record({
  replies: fc.array(fc.nat(2), { minLength: 1, maxLength: 2 }),
  results: fc.constantFrom('all', 'all', 'shuffled', 'some', 'none', 'twice', 'orphan'),
  names: fc.array(fc.constantFrom('read', 'list', 'fs.read', '9 lives'), { minLength: 4, maxLength: 4 }),
});

/** A conversation, cut somewhere in its last round. */
export interface Conversation {
  readonly rounds: readonly Round[];
  /** The calls whose result is known, by the marks of both. */
  readonly answered: ReadonlySet<string>;
  /** Replies that follow each other give the same id: a row of the ledger cannot say which call it is of. */
  readonly isAmbiguous: boolean;
}

let marks = 0;

/** Conversations with every style of ids, replies that follow each other, orphans, and results that are missing. */
export const conversations: fc.Arbitrary<Conversation> = fc
  .tuple(fc.constantFrom(...styles), fc.array(roundShape, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([style, shapes, endsHalf]) => {
    const answered = new Set<string>();
    const rounds = shapes.map(({ replies, results, names }, r): Round => {
      const isLast = r === shapes.length - 1;
      let place = 0;
      // Where replies that follow each other share ids, nobody can say which of them a result is of.
      const counts = style === 'shared' || style === 'anew' ? replies.slice(0, 1) : replies;
      const said = counts.map((count, i): Reply => ({
        text: `text<${String((marks += 1))}>`,
        calls: Array.from({ length: count }, (_, n): Call => {
          const mark = String((marks += 1));
          const isHalf = endsHalf && isLast && i === counts.length - 1 && n === count - 1;
          const call = { mark, id: idOf(style, mark, place), name: names[place] ?? 'read', isHalf };
          place += 1;
          return call;
        }),
      }));
      const whole = said.flatMap(({ calls }) => calls).filter((call) => !call.isHalf);
      const done = resultsOf(results, style, whole);
      for (const { mark, isOrphan } of done) if (!isOrphan) answered.add(mark);
      return { prompt: `text<${String((marks += 1))}>`, replies: said, results: done };
    });
    const isAmbiguous = shapes.some(({ replies }) => replies.length > 1) && !isClear(style);
    return { rounds, answered, isAmbiguous };
  });

function resultsOf(form: string, style: Style, calls: readonly Call[]): readonly Result[] {
  const all = calls.map(({ mark, id, name }): Result => ({ mark, id, name, isOrphan: false }));
  const orphan: Result = { mark: String((marks += 1)), id: 'nobody', name: 'read', isOrphan: true };
  switch (form) {
    case 'shuffled':
      return isClear(style) ? [...all].reverse() : all;
    case 'some':
      // Without ids only the order tells, so only what comes last can be missing.
      return isClear(style) ? all.slice(1) : all.slice(0, -1);
    case 'none':
      return [];
    case 'twice':
      return isClear(style) ? [...all, ...all] : all;
    case 'orphan':
      return [...all, orphan];
    default:
      return all;
  }
}

/** Which answers each call of a transcript has; a call is known by the mark in its arguments. */
export function answersIn(sights: readonly Sight[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  let batch: { id: unknown; answers: string[] }[] = [];
  for (const sight of sights) {
    if (sight === 'border') {
      batch = [];
    } else if ('call' in sight) {
      const answers: string[] = [];
      batch.push({ id: sight.call.id, answers });
      const mark = /call<(\d+)>/.exec(JSON.stringify(sight.call.content))?.[1];
      if (mark !== undefined) found.set(mark, answers);
    } else {
      const { id, content } = sight.answer;
      const owner = batch.findLast((call) => call.id === id);
      if (owner === undefined) throw new Error(`an answer to no call: ${String(id)}`);
      owner.answers.push(JSON.stringify(content));
    }
  }
  return found;
}
