/** Recordings as spans of the real OpenTelemetry SDK. */
import { ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect, it } from 'vitest';

import { InterruptController, delay } from '../../src/index.ts';
import { record, spanSink } from '../../src/inspect/index.ts';
import { deferred } from '../../src/testing/fakes.ts';

it('a stop is an event and no error; what failed or was given up is one; spans stand below each other', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const sink = spanSink(provider.getTracer('test'), { contextOf: (span) => trace.setSpan(ROOT_CONTEXT, span) });
  const agent = new InterruptController({ name: 'main', graceMs: 10 });
  const recording = record(agent, { sinks: [sink] });
  const deaf = deferred();
  const calls = ['obedient', 'deaf', 'broken'].map((name) => ({ id: name, name }));
  const turn = agent.runTurn(({ tools }) =>
    tools(calls, ({ name }, { token }) => {
      if (name === 'broken') throw new Error('broken');
      return name === 'deaf' ? deaf.promise : delay(token, 60_000);
    }),
  );
  await delay(undefined, 5);
  await agent.cancel('user').settled;
  await turn;
  deaf.resolve();
  recording.release();

  const spans = exporter.getFinishedSpans();
  const of = (name: string) => spans.find((span) => span.name === name);
  expect(spans.map(({ name }) => name).toSorted()).toEqual([
    'tool broken',
    'tool deaf',
    'tool obedient',
    'turn turn 1',
  ]);
  expect(of('tool obedient')?.status.code).toBe(SpanStatusCode.UNSET);
  expect(of('tool obedient')?.attributes).toMatchObject({
    'desist.outcome': 'cancelled',
    'desist.cancel.kind': 'user',
  });
  expect(of('tool obedient')?.events.map(({ name }) => name)).toEqual(['desist.stop']);
  expect(of('tool deaf')?.status.code).toBe(SpanStatusCode.ERROR);
  expect(of('tool broken')?.status.code).toBe(SpanStatusCode.ERROR);
  expect(of('turn turn 1')?.status.code).toBe(SpanStatusCode.UNSET);
  for (const name of ['obedient', 'deaf', 'broken'])
    expect(of(`tool ${name}`)?.parentSpanContext?.spanId).toBe(of('turn turn 1')?.spanContext().spanId);
  await provider.shutdown();
});
