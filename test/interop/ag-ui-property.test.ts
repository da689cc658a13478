/**
 * Runs of AG-UI's own client stopped at any event: the connection is closed once, never that of a run that has finished, and the
 * messages can be sent again. A failure prints its seed and path; `FC_SEED` and `FC_NUM_RUNS` set them.
 */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';

import { runAgent, type AgUiMessage } from '../../src/adapters/ag-ui/index.ts';
import { CancellationTokenSource } from '../../src/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { faultsOf, HttpAgent, quiet, settle } from './support/ag-ui-stage.ts';

quiet();
const tick = (): Promise<void> => new Promise(setImmediate);

const part = fc.constantFrom('text', 'call', 'answered call', 'reasoning');
const scenario = fc.record({
  parts: fc.array(part, { maxLength: 4 }),
  stopAt: fc.integer({ min: -1, max: 20 }),
  end: fc.constantFrom('finished', 'error', 'none'),
  isSlow: fc.boolean(),
});

/** The events of a run. */
function eventsOf({ parts, end }: { readonly parts: readonly string[]; readonly end: string }): object[] {
  const run = { threadId: 't', runId: 'r' };
  const events: object[] = [{ type: 'RUN_STARTED', ...run }];
  for (const [at, kind] of parts.entries()) {
    const [messageId, toolCallId] = [`m${String(at)}`, `c${String(at)}`];
    if (kind === 'text') {
      events.push({ type: 'TEXT_MESSAGE_START', messageId, role: 'assistant' });
      events.push({ type: 'TEXT_MESSAGE_CONTENT', messageId, delta: 'words ' });
      events.push({ type: 'TEXT_MESSAGE_END', messageId });
    } else if (kind === 'reasoning') {
      events.push({ type: 'REASONING_MESSAGE_START', messageId, role: 'reasoning' });
      events.push({ type: 'REASONING_MESSAGE_CONTENT', messageId, delta: 'hm' });
      events.push({ type: 'REASONING_MESSAGE_END', messageId });
    } else {
      events.push({ type: 'TOOL_CALL_START', toolCallId, toolCallName: 'rm', parentMessageId: messageId });
      events.push({ type: 'TOOL_CALL_ARGS', toolCallId, delta: '{"path":' });
      events.push({ type: 'TOOL_CALL_ARGS', toolCallId, delta: '"x"}' });
      events.push({ type: 'TOOL_CALL_END', toolCallId });
      if (kind === 'answered call') {
        events.push({ type: 'TOOL_CALL_RESULT', messageId: `r${String(at)}`, toolCallId, content: 'done' });
      }
    }
  }
  if (end === 'finished') events.push({ type: 'RUN_FINISHED', ...run });
  if (end === 'error') events.push({ type: 'RUN_ERROR', message: 'of the model' });
  return events;
}

test.prop([scenario], { numRuns: propertyRuns(500) })('S17 closes each connection once', async (given) => {
  const { stopAt, isSlow } = given;
  const events = eventsOf(given);
  const stop = new CancellationTokenSource();
  let aborts = 0;
  const seen = { isAsked: false };
  let sent = 0;
  let hasEnded = false;
  const agent = new HttpAgent({
    url: 'http://agent.test/',
    fetch: (_url, { signal }) => {
      if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
      seen.isAsked = true;
      const body = new ReadableStream<Uint8Array>({
        start: (controller) => {
          signal?.addEventListener('abort', () => {
            aborts += 1;
            if (!hasEnded) controller.error(signal.reason);
          });
        },
        pull: async (controller) => {
          if (isSlow) await tick();
          if (sent === stopAt) stop.cancel('user');
          if (signal?.aborted === true) return;
          const event = events[sent++];
          if (event === undefined) {
            hasEnded = true;
            controller.close();
          } else controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`));
        },
      });
      return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
    },
  });
  agent.addMessage({ id: 'u1', role: 'user', content: 'go' });
  let abortsWhenFinished: number | undefined;
  agent.subscribe({
    onRunFinishedEvent: () => {
      abortsWhenFinished = aborts;
      if (stopAt === events.length + 1) stop.cancel('user');
    },
  });
  if (stopAt === -1) queueMicrotask(() => stop.cancel('user'));
  const outcome = await runAgent(stop.token, agent, { settle }).then(
    () => 'finished',
    (error: unknown) => (error as Error).name,
  );
  expect(outcome === 'finished').toBe(abortsWhenFinished !== undefined);
  if (outcome === 'finished') {
    expect(given.end).toBe('finished');
    // What was on its way when the stop came is another matter.
    expect(aborts).toBe(abortsWhenFinished);
  } else {
    if (outcome === 'AbortError') expect(stop.isCancelled).toBe(true);
    expect(aborts).toBeLessThanOrEqual(stop.isCancelled ? 1 : 0);
    if (outcome === 'AbortError' && seen.isAsked && sent < events.length) expect(aborts).toBe(1);
    // What is only shown is no part of it.
    const messages = (agent.messages as AgUiMessage[]).filter(({ role }) => role !== 'reasoning');
    expect(faultsOf(messages)).toEqual([]);
    expect(new Set(agent.messages.map(({ id }) => id)).size).toBe(agent.messages.length);
  }
  const before = aborts;
  stop.cancel('shutdown');
  expect(aborts).toBe(before);
  expect(agent.isRunning).toBe(false);
  expect(agent.subscribers).toHaveLength(1);
});
