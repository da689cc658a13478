/**
 * What the compiler says of `desist/pi`, with the real types of the SDK.
 */
import type { Agent, AgentMessage } from '@mariozechner/pi-agent-core';
import { expectTypeOf, it } from 'vitest';

import { underTurn, type PiRun } from '../../src/adapters/pi/index.ts';
import type { PiAgent } from '../../src/adapters/pi/under-turn.ts';
import type { Turn } from '../../src/index.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';

declare const turn: Turn;
declare const agent: Agent;
declare const message: AgentMessage;

it('an agent of the SDK is one, and its messages are its prompts', async () => {
  expectTypeOf<Agent>().toExtend<PiAgent>();
  const run = underTurn(turn, agent, { dialect: openaiChat, graceMs: undefined, model: { idleMs: 1 } });
  expectTypeOf(run).toEqualTypeOf<PiRun<AgentMessage>>();
  await run.prompt('go');
  await run.prompt(message);
  await run.prompt([message]);
  expectTypeOf(await run.continue()).toEqualTypeOf<void>();
});

it('any dialect has the words', () => {
  underTurn(turn, agent, { dialect: anthropic });
});

it('nonsense is refused', () => {
  // @ts-expect-error a token is no turn
  underTurn(turn.token, agent, { dialect: openaiChat });
  // @ts-expect-error an object is no agent
  underTurn(turn, {}, { dialect: openaiChat });
  // @ts-expect-error the words are needed
  underTurn(turn, agent, {});
  // @ts-expect-error a role is no message
  void underTurn(turn, agent, { dialect: openaiChat }).prompt({ role: 'user' });
});
