/**
 * The door `desist/inspect`: records what a stop did, and shows it.
 *
 * @module desist/inspect
 */
export { channelSink, type ChannelLike, type ChannelMessage } from './channel-sink.ts';
export { record, type RecordedAgent, type Recording, type RecordOptions, type WatchOptions } from './record.ts';
export { spanSink, type SpanLike, type SpanSinkOptions, type TracerLike } from './span-sink.ts';
export { timelineHtml } from './timeline-html.ts';
export { timelineText } from './timeline-text.ts';
export type { WatchedContext } from './watched-work.ts';
export type { Trace, TraceCheckpoints, TraceOperation, TraceSink, TraceStop, TraceToken } from './trace.ts';
