/**
 * What the models of one loop are sent: the SDK's own prompts, with what it does not know of.
 *
 * @module
 */
import { messageText } from '../../core/inside.ts';
import { ToldMessages } from '../internal/framework/told-messages.ts';
import type { Round } from '../internal/framework/turn-call.ts';
import { saidMessage, type CutAnswer } from './cut-answer.ts';
import { CutItems } from './cut-items.ts';
import type { AIModelCall } from './middleware.ts';

/** The prompts of one loop. */
export class LoopPrompts {
  /** The items that no provider has. */
  readonly cut: CutItems = new CutItems();
  readonly #told = new ToldMessages<unknown>();

  /** What a model is sent in one round: its call, with what the user said meanwhile, under the round's signal. */
  paramsOf<P extends AIModelCall>(params: P, round: Round): P {
    const fresh = round.interjections.map(({ message }) => ({
      role: 'user',
      content: [{ type: 'text', text: messageText(message) }],
    }));
    // Without news the prompt would end in the model's own words, which some providers take for a prefix to go on from.
    // Of the cut answer only its words: the loop itself adds its calls, with their results.
    const text = fresh.length === 0 ? '' : ((round.cut as Partial<CutAnswer> | undefined)?.text ?? '');
    const before = text === '' ? [] : [saidMessage(text)];
    const prompt = this.#told.with(this.cut.without(params.prompt), fresh, before);
    return { ...params, prompt, abortSignal: round.signal };
  }
}
