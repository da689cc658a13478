/**
 * The events of a chat model's stream in the protocol of the newest major, over the rounds of one call: a message starts
 * once, and the blocks of a later round come after those of the rounds before it.
 *
 * @module
 */

import type { Round } from '../../internal/framework/turn-call.ts';
import { CallIds } from './call-ids.ts';

interface Block {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly id?: unknown;
  readonly name?: unknown;
  readonly args?: unknown;
}

interface BlockEvent {
  readonly event: string;
  readonly index?: number;
  readonly content?: Block;
  readonly delta?: { readonly type?: unknown; readonly text?: unknown };
}

interface OpenBlock {
  readonly content: object;
  text: string | undefined;
}

/** Whether a block is a tool call: its reader would run it. */
function startsCall({ event, content }: { readonly event: string; readonly content?: Block | undefined }): boolean {
  return event === 'content-block-start' && String(content?.type).startsWith('tool_call');
}

/** Whether an event, and what follows it, is for a reader only once the call has ended whole: he goes on from there. */
export function isFinalEvent(event: unknown): boolean {
  const own = event as BlockEvent;
  return own.event === 'message-finish' || startsCall(own);
}

/** One call of one or more rounds. */
export class ModelEvents {
  readonly #open = new Map<number, OpenBlock>();
  #blocks = 0;
  #before = 0;
  #rounds = 0;
  /** Whether this round has begun to call a tool: from there on its events are held back. */
  #hasCalls = false;
  /** The finished blocks of this round, by their places. */
  readonly #finished = new Map<number, Block>();
  #hasEnded = false;

  /** Whether the round came to its end. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** The events of the next round, each call by its own id. */
  async *next(
    events: AsyncIterable<unknown>,
    { token }: Pick<Round, 'token'>,
    ids: CallIds = new CallIds(),
  ): AsyncGenerator<unknown, undefined> {
    const isFirst = this.#rounds++ === 0;
    this.#before = this.#blocks;
    this.#hasCalls = false;
    this.#finished.clear();
    this.#hasEnded = false;
    for await (const each of events) {
      // Told to stop, some models end what is open, a call with half of its arguments too.
      if (token.isCancelled) return;
      const event = each as BlockEvent;
      if (event.event === 'message-start' && !isFirst) continue;
      const placed = event.index === undefined ? event : { ...event, index: event.index + this.#before };
      const own = ids.event(placed);
      this.#add(own);
      yield own;
    }
    this.#hasEnded = !token.isCancelled;
  }

  /** The ends of all texts that are open; what else was open is nothing yet. */
  close(): readonly unknown[] {
    const ends = [...this.#open]
      .filter(([, { text }]) => text !== undefined)
      .map(([index, { content, text }]) => ({
        event: 'content-block-finish',
        index,
        content: { ...content, text },
      }));
    this.#open.clear();
    return ends;
  }

  /** What this round has answered, as the SDK makes a message of its events; `undefined` if nothing was finished. */
  get message(): object | undefined {
    if (this.#finished.size === 0) return undefined;
    const content = [...this.#finished].sort(([one], [other]) => one - other).map(([, block]) => block);
    const tool_calls = content.filter(({ type }) => type === 'tool_call');
    return { role: 'assistant', content, tool_calls, response_metadata: { output_version: 'v1' } };
  }

  #add({ event, index, content, delta }: BlockEvent): void {
    if (index === undefined) return;
    if (event === 'content-block-finish' && content !== undefined) this.#finished.set(index, content);
    this.#hasCalls ||= startsCall({ event, content });
    // What is held back of a round that is cut was never opened, and takes no place from the next one.
    if (this.#hasCalls) return;
    this.#blocks = Math.max(this.#blocks, index + 1);
    if (event === 'content-block-start') {
      this.#open.set(index, { content: content ?? {}, text: content?.type === 'text' ? '' : undefined });
    } else if (event === 'content-block-delta') {
      const block = this.#open.get(index);
      if (block?.text !== undefined && typeof delta?.text === 'string') block.text += delta.text;
    } else if (event === 'content-block-finish') this.#open.delete(index);
  }
}
