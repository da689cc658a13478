/**
 * What the compiler says of `desist/remote-run`, with the types of the real clients.
 */
import type { Client } from '@langchain/langgraph-sdk';
import type OpenAI from 'openai';
import { expectTypeOf, it } from 'vitest';

import { awaitRun, cancelRun, followRun, turnExecutor, type RunEnd } from '../../src/adapters/remote-run/index.ts';
import type { Turn } from '../../src/index.ts';

declare const graph: Client;
declare const openai: OpenAI;

it('the events are the client’s', () => {
  const run = followRun(
    undefined,
    ({ signal }) => openai.responses.create({ model: 'm', background: true, stream: true }, { signal }),
    {
      cancel: (id, { signal }) => openai.responses.cancel(id, { signal }),
      idOf: (event) => ('response' in event ? event.response.id : undefined),
      endOf: ({ type }) => (type === 'response.completed' ? 'completed' : undefined),
    },
  );
  expectTypeOf(run.next).returns.resolves.toExtend<IteratorResult<OpenAI.Responses.ResponseStreamEvent, undefined>>();
});

it('the result is the client’s', () => {
  const call = awaitRun(
    null,
    async ({ signal, named }) => {
      const { run_id: id } = await graph.runs.create('t1', 'agent', { signal });
      named(id);
      return await graph.runs.join('t1', id, { signal });
    },
    { cancel: (id, { signal }) => graph.runs.cancel('t1', id, true, 'interrupt', { signal }) },
  );
  expectTypeOf(call).resolves.toEqualTypeOf<Awaited<ReturnType<Client['runs']['join']>>>();
  expectTypeOf(cancelRun('r1', (id) => graph.runs.cancel('t1', id))).resolves.toEqualTypeOf<RunEnd>();
});

it('an executor has the context and the events of its user', () => {
  const executor = turnExecutor(
    (turn, context: { readonly taskId: string; readonly text: string }) => {
      expectTypeOf(turn).toExtend<Turn>();
      return context.text;
    },
    { announce: ({ text }) => ({ text }), conclude: (_context, { status }) => ({ text: status }) },
  );
  expectTypeOf(executor.execute).parameter(0).toEqualTypeOf<{ readonly taskId: string; readonly text: string }>();
});
