/**
 * Publishes a recording on a channel of `node:diagnostics_channel`. The channel is passed in, so that this door opens
 * where Node is not.
 *
 * @module
 */
import type { TraceOperation, TraceSink, TraceStop } from './trace.ts';

/**
 * A channel of `node:diagnostics_channel`, as far as it is used.
 *
 * @since 0.1.0
 */
export interface ChannelLike {
  readonly hasSubscribers: boolean;
  /** Hands a message to whoever subscribed. */
  publish(message: unknown): void;
}

/**
 * What is published.
 *
 * @since 0.1.0
 */
export type ChannelMessage =
  | { readonly type: 'started' | 'ended'; readonly operation: TraceOperation }
  | { readonly type: 'stopping'; readonly operation: TraceOperation; readonly stop: TraceStop };

/**
 * A sink that publishes each `ChannelMessage`, while the channel has subscribers.
 *
 * @checkpoint never
 * @param channel `diagnostics_channel.channel('desist')`, or any other.
 * @returns The sink, for `record`.
 * @throws TypeError – not a channel.
 * @example
 * ```ts
 * import { channel, subscribe } from 'node:diagnostics_channel'
 * import { InterruptController } from 'desist'
 * import { channelSink, record } from 'desist/inspect'
 *
 * const heard: unknown[] = []
 * subscribe('desist', (message) => heard.push((message as { type: string }).type))
 * const agent = new InterruptController({ name: 'main' })
 * using recording = record(agent, { sinks: [channelSink(channel('desist'))] })
 * await agent.runTurn(() => 'done')
 * heard // => ['started', 'ended']
 * ```
 * @source `node:diagnostics_channel`
 * @since 0.1.0
 */
export function channelSink(channel: ChannelLike): TraceSink {
  const given = channel as Partial<ChannelLike> | null | undefined;
  if (typeof given?.publish !== 'function')
    throw new TypeError('channel must have publish(), as one of node:diagnostics_channel has');
  const publish = (message: ChannelMessage): void => {
    if (channel.hasSubscribers) channel.publish(message);
  };
  return {
    started(operation) {
      publish({ type: 'started', operation });
    },
    stopping(operation, stop) {
      publish({ type: 'stopping', operation, stop });
    },
    ended(operation) {
      publish({ type: 'ended', operation });
    },
  };
}
