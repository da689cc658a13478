/**
 * What the compiler says of `desist/langchain`, with the real types of LangChain and LangGraph.
 */
import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { RunnableLambda, type Runnable, type RunnableConfig } from '@langchain/core/runnables';
import { Annotation, StateGraph, type CompiledStateGraph } from '@langchain/langgraph';
import type { ChatOpenAI } from '@langchain/openai';
import { expectTypeOf, it } from 'vitest';

import { guardNode, guardRunnable, turnModel } from '../../src/adapters/langchain/index.ts';
import type { LangChainRunnable } from '../../src/adapters/langchain/runnable.ts';
import type { Turn } from '../../src/index.ts';

declare const turn: Turn;
declare const model: ChatOpenAI;

it('everything that LangChain runs is a runnable', () => {
  expectTypeOf<Runnable<string, number>>().toExtend<LangChainRunnable>();
  expectTypeOf<BaseChatModel>().toExtend<LangChainRunnable>();
  expectTypeOf<CompiledStateGraph<object, object>>().toExtend<LangChainRunnable>();
});

it('runnables and models stay what they are', () => {
  expectTypeOf(turnModel(turn, model, { idleMs: undefined })).toEqualTypeOf<ChatOpenAI>();
  const double = RunnableLambda.from((n: number) => n * 2);
  expectTypeOf(guardRunnable(double, { turn, graceMs: 0 })).toEqualTypeOf<typeof double>();
});

it('a node stays a node', () => {
  const State = Annotation.Root({ goal: Annotation<string>() });
  const plan = guardNode(async (state: typeof State.State, config: RunnableConfig) => {
    expectTypeOf(config.signal).toEqualTypeOf<AbortSignal | undefined>();
    return { goal: `${state.goal}!` };
  });
  expectTypeOf(plan).returns.toEqualTypeOf<Promise<{ goal: string }>>();
  new StateGraph(State).addNode('plan', plan);
});

it('nonsense is refused', () => {
  // @ts-expect-error a token is no turn
  turnModel(turn.token, model);
  // @ts-expect-error nothing to invoke
  guardRunnable({});
});
