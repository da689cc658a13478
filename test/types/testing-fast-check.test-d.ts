import fc, { type Arbitrary } from 'fast-check';
import type OpenAI from 'openai';
import { expectTypeOf, it } from 'vitest';

import { raceScheduler, transcript } from '../../src/testing/fast-check/index.ts';
import { aiSDKUI, type AISDKUIMessage } from '../../src/transcript/dialects/ai-sdk/index.ts';
import { anthropic, type AnthropicMessage } from '../../src/transcript/dialects/anthropic/index.ts';
import type { GeminiContent } from '../../src/transcript/dialects/gemini/index.ts';
import { openaiAgents, type OpenAIAgentsItem } from '../../src/transcript/dialects/openai-agents/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';

it('raceScheduler takes the value of fc.scheduler(), and its promises have the types of what they give', () => {
  void fc.asyncProperty(fc.scheduler(), async (scheduler) => {
    const { gate, settle } = raceScheduler(scheduler, { reason: 'user', graceMs: undefined });
    expectTypeOf(gate('open')).toEqualTypeOf<Promise<void>>();
    expectTypeOf(gate('open', async () => 42)).toEqualTypeOf<Promise<number>>();
    expectTypeOf(await settle(gate('open', () => 'text'))).toEqualTypeOf<PromiseSettledResult<string>>();
  });
  // @ts-expect-error the arbitrary is not yet a scheduler
  raceScheduler(fc.scheduler());
});

it('transcripts have the messages of their dialect, or of the one with the name', () => {
  expectTypeOf(transcript(anthropic)).toEqualTypeOf<Arbitrary<AnthropicMessage[]>>();
  expectTypeOf(transcript('gemini')).toEqualTypeOf<Arbitrary<GeminiContent[]>>();
  expectTypeOf(transcript(aiSDKUI, { ids: ['empty'] })).toEqualTypeOf<Arbitrary<AISDKUIMessage[]>>();
  expectTypeOf(transcript(openaiAgents)).toEqualTypeOf<Arbitrary<OpenAIAgentsItem[]>>();
  expectTypeOf(transcript<OpenAI.ChatCompletionMessageParam>(openaiChat)).toEqualTypeOf<
    Arbitrary<OpenAI.ChatCompletionMessageParam[]>
  >();
  // @ts-expect-error there is no such dialect
  void transcript('claude');
  // @ts-expect-error nor such ids
  void transcript('gemini', { ids: ['odd'] });
});
