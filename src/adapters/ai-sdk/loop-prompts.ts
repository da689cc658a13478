/**
 * What the models of one loop are sent: the SDK's own prompts, with what it does not know of.
 *
 * @module
 */
import { lostNote, messageText } from '../../core/inside.ts';
import { ToldMessages } from '../internal/framework/told-messages.ts';
import type { Round } from '../internal/framework/turn-call.ts';
import { sendable, type CutAnswer, type GrowingAnswer } from './cut-answer.ts';
import { CutItems, type RoundItems } from './cut-items.ts';
import type { AIModelCall } from './middleware.ts';

/** The prompts of one loop. */
export class LoopPrompts {
  readonly #cut = new CutItems();
  readonly #told = new ToldMessages<unknown>(true);
  /** What the provider ran for rounds that were cut, of which no model was told yet. */
  #lost: readonly string[] = [];

  /** A round was cut: no provider has its items. */
  cut(items: RoundItems, { lost }: Pick<GrowingAnswer, 'lost'>): void {
    this.#cut.add(items);
    this.#lost = [...this.#lost, ...lost];
  }

  /** What a model is sent in one round: its call, with what it does not know of, under the round's signal. */
  paramsOf<P extends AIModelCall>(params: P, round: Round): P {
    const notes = this.#lost.length === 0 ? [] : [lostNote(this.#lost)];
    this.#lost = [];
    const texts = [...notes, ...round.interjections.map(({ message }) => messageText(message))];
    const fresh = texts.map((text) => ({ role: 'user', content: [{ type: 'text', text }] }));
    const cut = round.cut === undefined ? [] : sendable((round.cut as CutAnswer).message);
    const prompt = this.#told.with(this.#cut.without(params.prompt), fresh, cut);
    return { ...params, prompt, abortSignal: round.signal };
  }
}
