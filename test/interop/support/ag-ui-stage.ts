/** What the tests of AG-UI share: its own client before a server that a test scripts, and messages that are settled. */
import { afterAll, afterEach, beforeEach, vi } from 'vitest';

import { messageMap, type AgUiMessage } from '../../../src/adapters/ag-ui/index.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';
import { checkTranscript, mapDialect, repair } from '../../../src/transcript/index.ts';
import { majors } from '../majors.ts';
import { startAgUiServer, type AgUiConnection } from './ag-ui-server.ts';

export const { HttpAgent } = await majors[0]!.load<typeof import('@ag-ui/client')>('@ag-ui/client');

const dialect = mapDialect(openaiChat, messageMap);
export const settle = (messages: readonly AgUiMessage[]) => repair(messages, { dialect }).messages;

/** Why messages of the client could not be sent again. */
export function faultsOf(messages: readonly object[]) {
  return checkTranscript(messages as AgUiMessage[], { dialect });
}

/** What the SDK says on the console, too, of a run that fails is not shown. */
export function quiet(): void {
  let said: { mockRestore(): void };
  beforeEach(() => {
    said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  });
  afterEach(() => {
    said.mockRestore();
  });
}

/** A stage for the tests of one file: the server is gone after the last of them. */
export async function agUiStage() {
  const server = await startAgUiServer((connection) => stage.script(connection));
  const stage = {
    server,
    /** What the server does with each request; the test says it. */
    script: (_connection: AgUiConnection): unknown => undefined,
    agentWith(this: void, content = 'go') {
      const agent = new HttpAgent({ url: server.url });
      agent.addMessage({ id: 'u1', role: 'user', content });
      return agent;
    },
  };
  afterAll(() => server.close());
  return stage;
}

export const started = ({ input: { threadId, runId }, send }: AgUiConnection): void => {
  send({ type: 'RUN_STARTED', threadId, runId });
};
