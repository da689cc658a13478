/**
 * The door `desist/inspect`: records what a stop did, and shows it.
 *
 * @module desist/inspect
 */
export { channelSink } from './channel-sink.ts';
export { record, type Recording, type RecordOptions } from './record.ts';
export { spanSink, type SpanLike, type SpanSinkOptions } from './span-sink.ts';
export { timelineHtml } from './timeline-html.ts';
export { timelineText } from './timeline-text.ts';
export type { Trace, TraceSink } from './trace.ts';
