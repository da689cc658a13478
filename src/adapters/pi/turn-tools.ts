/**
 * The tool calls of pi's loop as calls of a turn, with the loop's question before a call as a question of the call.
 *
 * @module
 */
import { isObject, type Releasable, shownAs, type ToolContext, type Turn } from '../../core/inside.ts';
import { replaceMethods, type Around } from '../../guard/shapes.ts';
import { textOf, type WordsOf } from '../../guard/told-words.ts';
import type { BeforeToolCall, Question } from './shapes.ts';
import { resultOf, shownOf } from './words.ts';

/** How the calls of one run are made. */
export interface ToolCalls {
  readonly turn: Turn;
  readonly dialect: WordsOf;
  readonly options: {
    readonly graceMs?: number | undefined;
    readonly onInterject?: 'finish' | 'cancel' | 'yield' | undefined;
  };
  /** The ids of the calls that have their results, or will: those that were begun, and those that the loop has answered. */
  readonly answered: Set<string>;
  /** Says that a call is not over; the loop is not left behind meanwhile. */
  readonly hold: () => Releasable;
}

type Answered = { readonly value: unknown } | { readonly error: unknown };

/** The questions of one run: asked inside the call, where a stop withdraws them, and one after the other. */
export class Questions {
  readonly #before: BeforeToolCall;
  readonly #open = new Map<unknown, Question>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(before: BeforeToolCall) {
    this.#before = before;
  }

  /** In the place of the loop's own question: keeps it for its call. */
  readonly keep = (question: Question): Promise<undefined> => {
    this.#open.set(question.toolCall.id, question);
    return Promise.resolve(undefined);
  };

  /** @throws What the hook threw. Whatever ends a declined call, or one that was stopped before it was answered. */
  async ask(id: unknown, { ask, decline, signal, checkpoint }: ToolContext): Promise<void> {
    const question = this.#open.get(id);
    this.#open.delete(id);
    if (question === undefined) return;
    const earlier = this.#last;
    const asking = ask<Answered>((respond) => {
      const open = async (): Promise<void> => {
        await earlier;
        // Withdrawn while it waited: nobody is shown it.
        if (signal.aborted) return;
        try {
          respond({ value: await this.#before(question, signal) });
        } catch (error) {
          respond({ error });
        }
      };
      void open();
    });
    this.#last = asking.then(undefined, () => undefined);
    const answer = await asking;
    // Where the stop came between the answer and here.
    checkpoint();
    if ('error' in answer) throw answer.error;
    const { block, reason } = (isObject(answer.value) ? answer.value : {}) as Record<string, unknown>;
    if (block === true) decline(typeof reason === 'string' ? reason : undefined);
  }
}

/** The same tools to the loop; each call has its row, and gives the loop what became of it. */
export function turnTools<T extends object>(
  tools: readonly T[],
  { turn, dialect, options, answered, hold }: ToolCalls,
  questions: Questions | undefined,
): T[] {
  return tools.map((tool) => {
    const { name } = tool as { readonly name?: unknown };
    const around: Around = async (execute, [id, input, , onUpdate, ...rest], self) => {
      let isOver = false;
      const held = hold();
      // The details of a result are for people.
      const call = Object.defineProperties({ id: String(id), name: String(name), input }, shownAs(shownOf));
      answered.add(call.id);
      const work = async (_call: unknown, context: ToolContext): Promise<unknown> => {
        // Without a question the tool starts at once: a stop in one call of a batch comes before the next then.
        if (questions !== undefined) await questions.ask(id, context);
        const update = (value: unknown): void => {
          // The loop throws at whoever tells it of a call that it has left behind.
          if (isOver) return;
          context.partial(textOf(value));
          if (typeof onUpdate === 'function') (onUpdate as (value: unknown) => void)(value);
        };
        return await Reflect.apply(execute, self, [id, input, context.signal, update, ...rest]);
      };
      const outcome = await turn.tool(call, work, options).finally(() => {
        isOver = true;
        held.release();
      });
      return resultOf(dialect, outcome, turn.token.reason);
    };
    return replaceMethods(tool, { execute: around }) ?? tool;
  });
}

/** After a stop the loop has words of its own for the calls of a batch that it leaves out: they get their row, and its words. */
export async function tellUnbegun(
  messages: readonly object[],
  { turn, dialect, answered }: Pick<ToolCalls, 'turn' | 'dialect' | 'answered'>,
): Promise<readonly object[]> {
  return await Promise.all(
    messages.map(async (message) => {
      const { role, toolCallId: id, toolName: name } = message as Readonly<Record<string, unknown>>;
      if (role !== 'toolResult' || typeof id !== 'string' || answered.has(id)) return message;
      const outcome = await turn.tool({ id, name: String(name) }, () => undefined);
      const text = dialect.texts.outcome(outcome, turn.token.reason);
      return { ...message, content: [{ type: 'text', text }] };
    }),
  );
}
