/**
 * Makes a recording into spans of OpenTelemetry. An intended cancel is no error: its span keeps the status `UNSET`.
 *
 * Invariants: every span that was started is ended, at the latest when its work is given up or the recording is released; a span of work that was
 * given up is an error, for nobody intends that.
 *
 * @module
 */
import { requireOptions, type OptionNames } from '../core/inside.ts';
import type { TraceOperation, TraceSink } from './trace.ts';

/**
 * A span of `@opentelemetry/api`, as far as it is used.
 *
 * @since 0.1.0
 */
export interface SpanLike {
  /** Says one thing about it. */
  setAttribute(key: string, value: string): unknown;
  /** Whether it failed. */
  setStatus(status: { code: number; message?: string }): unknown;
  /** Something happened within it. */
  addEvent(name: string, attributes: Record<string, string>, at: number): unknown;
  /** It is over. */
  end(at: number): void;
}

/**
 * A tracer of `@opentelemetry/api`, as far as it is used.
 *
 * @since 0.1.0
 */
export interface TracerLike<Span extends SpanLike, Context> {
  /** Begins a span, inside the one of `context`. */
  startSpan(
    name: string,
    options?: { startTime?: number; attributes?: Record<string, string> },
    context?: Context,
  ): Span;
}

/**
 * Options of {@link spanSink}.
 *
 * @since 0.1.0
 */
export interface SpanSinkOptions<Span, Context> {
  /** The context in which a span is the parent: `(span) => trace.setSpan(context.active(), span)`. Without it, spans are flat. */
  readonly contextOf?: ((span: Span) => Context) | undefined;
}

/** `SpanStatusCode.ERROR` of the API. */
const ERROR = 2;

const optionNames: OptionNames<SpanSinkOptions<never, unknown>> = { contextOf: 1 };

/**
 * A sink that makes a span of each operation.
 *
 * @checkpoint never
 * @cleanup A span ends with its operation, or when that is given up.
 * @param tracer Yours, from `trace.getTracer(…)`.
 * @param options How a span becomes a parent.
 * @returns The sink, for `record`.
 * @throws TypeError – not a tracer.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { record, spanSink, type SpanLike } from 'desist/inspect'
 *
 * const names: string[] = []
 * const span: SpanLike = { setAttribute() {}, setStatus() {}, addEvent() {}, end() {} }
 * const tracer = { startSpan: (name: string) => (names.push(name), span) } // yours: trace.getTracer('agent')
 * const agent = new InterruptController({ name: 'main' })
 * using recording = record(agent, { sinks: [spanSink(tracer)] })
 * await agent.runTurn(() => 'done')
 * names // => ['turn turn 1']
 * ```
 * @source OpenTelemetry's status of spans
 * @since 0.1.0
 */
export function spanSink<Span extends SpanLike, Context>(
  tracer: TracerLike<Span, Context>,
  options: SpanSinkOptions<Span, Context> = {},
): TraceSink {
  const given = tracer as Partial<TracerLike<Span, Context>> | null | undefined;
  if (typeof given?.startSpan !== 'function') throw new TypeError('tracer must have startSpan()');
  requireOptions(options, optionNames);
  const { contextOf } = options;
  const open = new Map<string, Span>();
  return {
    started({ id, parentId, kind, name, agent, startedAt }) {
      const parent = open.get(parentId);
      const context = parent === undefined ? undefined : contextOf?.(parent);
      const attributes = { 'desist.kind': kind, 'desist.agent': agent };
      open.set(id, tracer.startSpan(`${kind} ${name}`, { startTime: startedAt, attributes }, context));
    },
    stopping({ id, askedAt = 0 }, { reason }) {
      open.get(id)?.addEvent('desist.stop', { 'desist.cancel.kind': reason.kind }, askedAt);
      open.get(id)?.setAttribute('desist.cancel.kind', reason.kind);
    },
    ended(operation) {
      const span = open.get(operation.id);
      // The late end of what was given up: its span is closed already.
      if (span === undefined) return;
      open.delete(operation.id);
      endSpan(span, operation);
    },
  };
}

function endSpan(span: SpanLike, { outcome, startedAt, endedAt = startedAt, checkpoints }: TraceOperation): void {
  span.setAttribute('desist.outcome', outcome);
  if (checkpoints?.isSwallowed === true) span.setAttribute('desist.swallowed', 'true');
  if (outcome === 'failed') span.setStatus({ code: ERROR });
  if (outcome === 'abandoned') span.setStatus({ code: ERROR, message: 'told to stop, and still running' });
  span.end(endedAt);
}
