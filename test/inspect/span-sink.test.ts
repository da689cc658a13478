import { expect, it } from 'vitest';

import { spanSink, type SpanLike } from '../../src/inspect/index.ts';
import { row, stopped } from './kit.ts';

/** A tracer of the user's own, which only writes down: the real one is in the interop tests. */
function noteTracer(log: unknown[]) {
  return {
    startSpan(name: string, _options?: unknown, context?: string): SpanLike {
      log.push(['start', name, context]);
      return {
        setAttribute: (key, value) => log.push([key, value]),
        setStatus: (status) => log.push(['status', status.code]),
        addEvent: (event) => log.push([event]),
        end: (at) => log.push(['end', at]),
      };
    },
  };
}

it('an intended cancel is no error, and what was given up is one', () => {
  const log: unknown[] = [];
  const sink = spanSink(noteTracer(log), { contextOf: () => 'below' });
  const [turn = row({ id: 't' }), search = row({ id: 'a' }), deploy = row({ id: 'b' })] = stopped.operations;
  for (const each of [turn, search, deploy]) sink.started?.(each);
  for (const each of [search, deploy, turn]) sink.ended?.(each);
  sink.ended?.({ ...deploy, late: { at: 1_900, outcome: 'completed' } });
  expect(log).toEqual([
    ['start', 'turn turn 1', undefined],
    ['start', 'tool search', 'below'],
    ['start', 'tool deploy', 'below'],
    ['desist.outcome', 'cancelled'],
    ['end', 1_510],
    ['desist.outcome', 'abandoned'],
    ['status', 2],
    ['end', 1_700],
    ['desist.outcome', 'cancelled'],
    ['end', 1_800],
  ]);
});

it('what is no tracer is refused', () => {
  for (const tracer of [undefined, null, {}, 'x']) expect(() => spanSink(tracer as never)).toThrow(TypeError);
});
