/**
 * What a stream of OpenAI Agents has said in one round of a call.
 *
 * @module
 */
import type { CallRecord } from '../internal/framework/loop-record.ts';
import { saidMessage } from './loop-items.ts';
import { withOwnIds } from './own-ids.ts';

/** The text that a stream has said in this round. */
export class SaidText {
  readonly #call: CallRecord;
  #text = '';
  #rounds = 0;
  /** What the response consists of, once it is done. */
  response: unknown;

  constructor(call: CallRecord) {
    this.#call = call;
  }

  /** What there is of a response that its reader has left. */
  get cut(): object {
    return { ...saidMessage(this.#text), isComplete: false };
  }

  /** The events of the next round; a response starts once. */
  async *next(
    events: AsyncIterable<unknown>,
    request: { readonly input: unknown },
  ): AsyncGenerator<unknown, undefined> {
    this.#text = '';
    this.response = undefined;
    const isFirst = this.#rounds++ === 0;
    for await (const event of events) {
      const { type, response } = event as { readonly type?: unknown; readonly response?: unknown };
      const own = type === 'response_done' ? withOwnIds(response, request, this.#call.callId) : response;
      if (isFirst || type !== 'response_started')
        yield own === response ? event : { ...(event as object), response: own };
    }
  }

  readonly add = (event: unknown): unknown => {
    const { type, delta } = event as { readonly type?: unknown; readonly delta?: unknown };
    if (type === 'output_text_delta' && typeof delta === 'string') this.#text += delta;
    const text = this.#text;
    if (type === 'response_done') this.response = (event as { readonly response?: unknown }).response;
    return text === '' ? undefined : saidMessage(text);
  };
}
