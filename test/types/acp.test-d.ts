import type {
  AgentContext,
  AgentHandlerContext,
  CancelNotification,
  ClientContext,
  PromptRequest,
  PromptResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionNotification,
} from '@agentclientprotocol/sdk';
import type { ChildProcess } from 'node:child_process';
import { expectTypeOf, it } from 'vitest';

import { acpClient, acpSessions, type AcpClientOptions, type AcpPromptResponse } from '../../src/adapters/acp/index.ts';
import type { AcpAgentPeer, AcpPermissionContext } from '../../src/adapters/acp/acp-client.ts';
import type { AcpClientPeer } from '../../src/adapters/acp/agent-turn.ts';
import type { AcpPromptContext } from '../../src/adapters/acp/agent-sessions.ts';
import type { AcpSessionNotification } from '../../src/adapters/acp/client-turn.ts';

declare const prompt: AgentHandlerContext<PromptRequest>;
declare const cancel: AgentHandlerContext<CancelNotification>;
declare const response: PromptResponse;

it('the SDK’s peers, contexts and messages are ours', () => {
  expectTypeOf<AgentContext>().toExtend<AcpClientPeer>();
  expectTypeOf<ClientContext>().toExtend<AcpAgentPeer>();
  expectTypeOf<typeof prompt>().toExtend<AcpPromptContext>();
  expectTypeOf<PromptResponse>().toExtend<AcpPromptResponse>();
  expectTypeOf<SessionNotification>().toExtend<AcpSessionNotification>();
  expectTypeOf<ChildProcess>().toExtend<NonNullable<AcpClientOptions['agentProcess']>>();
});

it('what we answer is the SDK’s', () => {
  const sessions = acpSessions();
  expectTypeOf(sessions.prompt(prompt, () => response)).resolves.toExtend<PromptResponse>();
  expectTypeOf(sessions.cancel).toBeCallableWith(cancel);
  expectTypeOf(sessions.cancel).toBeCallableWith(cancel.params);
});

it('a permission is answered in the SDK’s words', () => {
  const context = {} as AcpPermissionContext & { params: RequestPermissionRequest };
  const answer = acpClient().permission(context, (): RequestPermissionResponse => ({
    outcome: { outcome: 'selected', optionId: context.params.options[0]?.optionId ?? '' },
  }));
  expectTypeOf(answer).resolves.toExtend<RequestPermissionResponse>();
});

it('a body answers with a stop reason of the protocol', () => {
  // @ts-expect-error -- there is no such stop reason
  void acpSessions().prompt(prompt, () => ({ stopReason: 'bored' }));
});
