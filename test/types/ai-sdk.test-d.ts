/**
 * What the compiler says of `desist/ai-sdk`, with the real types of the SDK.
 */
import type { LanguageModelV2, LanguageModelV3, LanguageModelV3Middleware, LanguageModelV4 } from '@ai-sdk/provider';
import type { LanguageModelV4Middleware } from '@ai-sdk/provider';
import {
  generateText,
  streamText,
  tool,
  ToolLoopAgent,
  type LanguageModelMiddleware,
  type TextStreamPart,
  type ToolSet,
} from 'ai';
import { expectTypeOf, it } from 'vitest';
import { z } from 'zod';

import type { TurnMiddleware } from '../../src/adapters/ai-sdk/middleware.ts';
import { readResult, underTurn } from '../../src/adapters/ai-sdk/index.ts';
import type { AIModel } from '../../src/adapters/ai-sdk/under-turn.ts';
import type { AIStreamResult } from '../../src/adapters/ai-sdk/read-result.ts';
import type { Turn } from '../../src/index.ts';

declare const turn: Turn;
declare const model: LanguageModelV4;

const tools = {
  add: tool({ inputSchema: z.object({ a: z.number() }), execute: ({ a }) => a + 1 }),
};

it('the middleware is one of the SDK, of both specifications', () => {
  expectTypeOf<TurnMiddleware>().toExtend<LanguageModelMiddleware>();
  expectTypeOf<TurnMiddleware>().toExtend<LanguageModelV3Middleware>();
  expectTypeOf<TurnMiddleware>().toExtend<Omit<LanguageModelV4Middleware, 'specificationVersion'>>();
  const wrapped = underTurn(turn, { model }, { model: { idleMs: undefined } }).model;
  expectTypeOf(wrapped).toEqualTypeOf<LanguageModelV4>();
});

it('every model of the SDK is a model', () => {
  expectTypeOf<LanguageModelV2>().toExtend<AIModel>();
  expectTypeOf<LanguageModelV3>().toExtend<AIModel>();
  expectTypeOf<LanguageModelV4>().toExtend<AIModel>();
});

it('settings keep their type, so that results are typed by the tools', () => {
  const generated = generateText(underTurn(turn, { model, tools, prompt: 'go' }));
  expectTypeOf<Awaited<typeof generated>['text']>().toEqualTypeOf<string>();
  const settings = { model, tools, prompt: 'go' } as const;
  expectTypeOf(underTurn(turn, settings, { graceMs: 0, model: { idleMs: 5 } })).toEqualTypeOf(settings);
});

it('a hook of a step has the types of the SDK, and picks tools by their names', () => {
  const settings = { model, tools, prompt: 'go' };
  void generateText(
    underTurn(turn, {
      ...settings,
      prepareStep: ({ stepNumber }) => {
        expectTypeOf(stepNumber).toEqualTypeOf<number>();
        return { activeTools: stepNumber > 1 ? [] : ['add'] };
      },
    }),
  );
  const result = streamText(
    underTurn(turn, {
      ...settings,
      prepareStep: () => ({ activeTools: ['add'] }),
      onFinish: ({ text }) => {
        expectTypeOf(text).toEqualTypeOf<string>();
      },
    }),
  );
  expectTypeOf(result).toExtend<AIStreamResult<TextStreamPart<typeof tools>>>();
  const agent = new ToolLoopAgent(underTurn(turn, { model, tools, prepareStep: () => ({ activeTools: ['add'] }) }));
  expectTypeOf(agent.tools).toEqualTypeOf<typeof tools>();
});

it('a stream is read with its own parts', () => {
  const result = streamText(underTurn(turn, { model, tools, prompt: 'go' }));
  expectTypeOf(result).toExtend<AIStreamResult<TextStreamPart<typeof tools>>>();
  const text = readResult(turn.token, result, (part) => {
    if (part.type === 'text-delta') expectTypeOf(part.text).toEqualTypeOf<string>();
  });
  expectTypeOf(text).toEqualTypeOf<Promise<string>>();
  expectTypeOf<AIStreamResult<TextStreamPart<ToolSet>>>().not.toBeAny();
});

it('nonsense is refused', () => {
  // @ts-expect-error a token is no turn
  underTurn(turn.token, { model });
  // @ts-expect-error no such option
  underTurn(turn, {}, { grace: 5 });
});
