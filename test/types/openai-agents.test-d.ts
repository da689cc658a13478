/**
 * What the compiler says of `desist/openai-agents`, with the real types of the SDK.
 */
import {
  type Agent,
  type OpenAIChatCompletionsModel,
  Runner,
  run,
  type Model,
  type ModelProvider,
  type RunStreamEvent,
} from '@openai/agents';
import { expectTypeOf, it } from 'vitest';

import { readRun, turnModel, turnProvider, underTurn } from '../../src/adapters/openai-agents/index.ts';
import type { AgentsAgent } from '../../src/adapters/openai-agents/under-turn.ts';
import type { AgentsModel, AgentsModelProvider } from '../../src/adapters/openai-agents/turn-model.ts';
import type { AgentsStream } from '../../src/adapters/openai-agents/read-run.ts';
import type { Turn } from '../../src/index.ts';

declare const turn: Turn;
declare const agent: Agent;
declare const model: OpenAIChatCompletionsModel;
declare const provider: ModelProvider;

it('models and providers of the SDK stay what they are', () => {
  expectTypeOf<Model>().toExtend<AgentsModel>();
  expectTypeOf<ModelProvider>().toExtend<AgentsModelProvider<Model>>();
  expectTypeOf(turnModel(turn, model, { idleMs: undefined })).toEqualTypeOf<OpenAIChatCompletionsModel>();
  expectTypeOf(turnProvider(turn, provider)).toExtend<ModelProvider>();
  void new Runner({ modelProvider: turnProvider(turn, provider), model: turnModel(turn, model) });
});

it('agents stay what they are', () => {
  expectTypeOf<Agent>().toExtend<AgentsAgent>();
  expectTypeOf(underTurn(turn, agent, { graceMs: 0 })).toEqualTypeOf<Agent>();
});

it('a run is typed by the agent, and a stream’s events by the SDK', async () => {
  const whole = await readRun(turn.token, run(underTurn(turn, agent), 'go', { signal: turn.signal }));
  expectTypeOf(whole.finalOutput).toEqualTypeOf<string | undefined>();
  const streamed = run(agent, 'go', { signal: turn.signal, stream: true });
  expectTypeOf<Awaited<typeof streamed>>().toExtend<AgentsStream<RunStreamEvent>>();
  const { finalOutput } = await readRun(turn.token, streamed, (event) => {
    expectTypeOf(event).toEqualTypeOf<RunStreamEvent>();
  });
  expectTypeOf(finalOutput).toEqualTypeOf<string | undefined>();
});

it('nonsense is refused', () => {
  // @ts-expect-error an agent is no model
  turnModel(turn, agent);
  // @ts-expect-error a token is no turn
  underTurn(turn.token, agent);
});
