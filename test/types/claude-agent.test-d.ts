/**
 * What the compiler says of `desist/claude-agent`, with the real types of the SDK.
 */
import { query, type Query, type SDKMessage, type SDKResultSuccess } from '@anthropic-ai/claude-agent-sdk';
import { expectTypeOf, it } from 'vitest';

import { openSession, type ClaudeSession } from '../../src/adapters/claude-agent/index.ts';
import type { AgentQuery } from '../../src/adapters/claude-agent/open-session.ts';
import type { InterruptController, Turn } from '../../src/index.ts';
import { anthropic } from '../../src/transcript/dialects/anthropic/index.ts';

declare const controller: InterruptController;
declare const turn: Turn;

it('the query of the SDK is one, and its options and messages are known', async () => {
  expectTypeOf<Query>().toExtend<AgentQuery>();
  const session = openSession(controller, query, {
    dialect: anthropic,
    options: {
      model: 'sonnet',
      canUseTool: (_name, input) => Promise.resolve({ behavior: 'allow', updatedInput: input }),
    },
    graceMs: undefined,
    onMessage: (message) => {
      expectTypeOf(message).toEqualTypeOf<SDKMessage>();
    },
  });
  expectTypeOf(session).toEqualTypeOf<ClaudeSession<Query>>();
  expectTypeOf(session.query).toEqualTypeOf<Query | undefined>();
  expectTypeOf(await session.prompt(turn, 'go')).toEqualTypeOf<SDKResultSuccess>();
});

it('nonsense is refused', () => {
  // @ts-expect-error the words are needed
  openSession(controller, query, {});
  // @ts-expect-error an option of the SDK that it has not
  openSession(controller, query, { dialect: anthropic, options: { model: 7 } });
  // @ts-expect-error no such policy
  openSession(controller, query, { dialect: anthropic, queued: 'drop' });
});
