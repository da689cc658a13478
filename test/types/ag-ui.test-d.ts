/**
 * What the compiler says of `desist/ag-ui`, with the real types of the client.
 */
import type { HttpAgent, RunAgentResult } from '@ag-ui/client';
import type { Message, RunAgentInput } from '@ag-ui/core';
import { expectTypeOf, it } from 'vitest';

import { messageMap, runAgent, serveRun, type AgUiMessage } from '../../src/adapters/ag-ui/index.ts';
import type { AgUiAgent } from '../../src/adapters/ag-ui/run-agent.ts';
import type { InterruptController, TurnReport } from '../../src/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { mapDialect, repair } from '../../src/transcript/index.ts';

declare const agent: HttpAgent;
declare const controller: InterruptController;
declare const input: RunAgentInput;

const dialect = mapDialect(openaiChat, messageMap);

it('an agent of the SDK is one, and so are its messages', async () => {
  expectTypeOf<HttpAgent>().toExtend<AgUiAgent>();
  expectTypeOf<Message>().toExtend<AgUiMessage>();
  const settle = (messages: readonly AgUiMessage[]) => repair(messages, { dialect }).messages;
  const result = await runAgent(undefined, agent, { settle, parameters: { runId: 'r' } });
  expectTypeOf(result).toEqualTypeOf<RunAgentResult>();
});

it('a request of the SDK is one', async () => {
  const emit = (event: { readonly type: string }) => void event;
  const report = await serveRun(
    controller,
    (_turn, run) => {
      expectTypeOf(run.input).toEqualTypeOf<RunAgentInput>();
      return 7;
    },
    { input, emit, dialect: openaiChat },
  );
  expectTypeOf(report).toEqualTypeOf<TurnReport<number>>();
});

it('nonsense is refused', () => {
  // @ts-expect-error how its messages are settled is needed
  void runAgent(undefined, agent, {});
  // @ts-expect-error an object is no agent
  void runAgent(undefined, {}, { settle: () => [] });
  // @ts-expect-error a request has a thread
  void serveRun(controller, () => 1, { input: { runId: 'r' }, emit: () => 1, dialect: openaiChat });
});
