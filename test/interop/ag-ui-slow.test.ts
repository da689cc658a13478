/** AG-UI where one side ends or dawdles while the other speaks: a server that is killed, a reader that reads nothing. */
import { request as ask, type IncomingMessage } from 'node:http';
import { expect, it } from 'vitest';

import { runAgent, serveRun } from '../../src/adapters/ag-ui/index.ts';
import { isCancelledError } from '../../src/core/foundation/errors.ts';
import { CancellationTokenSource, InterruptController } from '../../src/index.ts';
import { deferred } from '../../src/testing/fakes.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { itBare } from '../support/bare.ts';
import { eventually } from '../support/eventually.ts';
import type { AgUiConnection } from './support/ag-ui-server.ts';
import { agUiStage, faultsOf, quiet, settle, started } from './support/ag-ui-stage.ts';

const stage = await agUiStage();
const { agentWith } = stage;
quiet();

const begin = (connection: AgUiConnection): void => {
  started(connection);
  const { send } = connection;
  send({ type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'pay', parentMessageId: 'm1' });
  send({ type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"sum":' });
};

/** What a work leaves unheard, for who expects it. */
async function unheardOf(work: () => Promise<void>): Promise<unknown[]> {
  const unheard: unknown[] = [];
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', (error) => unheard.push((error as Error).message));
  try {
    await work();
    await new Promise((resolve) => setTimeout(resolve, 0));
  } finally {
    process.removeAllListeners('unhandledRejection');
    for (const other of others) process.on('unhandledRejection', other);
  }
  return unheard;
}

itBare('bare, version 1.0.0 leaves a rejection unheard when its server is killed in mid-stream', async () => {
  stage.script = (connection) => {
    begin(connection);
    setImmediate(() => connection.response.destroy());
  };
  const unheard = await unheardOf(async () => {
    await agentWith()
      .runAgent()
      .catch(() => undefined);
  });
  expect(unheard).toEqual(['terminated']);
});

it.each(['alone', 'after a stop that asks it first'])(
  'a server that is killed in mid-stream, %s, leaves messages that can be sent again',
  async (when) => {
    const kill = deferred();
    stage.script = async (connection) => {
      begin(connection);
      await kill.promise;
      connection.response.destroy();
    };
    const person = new CancellationTokenSource();
    const agent = agentWith();
    const cancel = (): Promise<never> => new Promise(() => undefined);
    const running = runAgent(person.token, agent, { settle, cancel, graceMs: 20_000 }).catch((error: unknown) => error);
    await eventually(() => {
      expect(agent.messages).toHaveLength(2);
    });
    if (when !== 'alone') person.cancel('user');
    kill.resolve();
    let error: unknown;
    const unheard = await unheardOf(async () => {
      error = await running;
    });
    // It is the SDK’s own.
    expect(unheard).toEqual(['terminated']);
    expect([error instanceof Error, isCancelledError(error)]).toEqual([true, when !== 'alone']);
    expect(agent.isRunning).toBe(false);
    expect(faultsOf(agent.messages)).toEqual([]);
  },
);

it('a client that reads nothing holds up no stop of a run, and reads afterwards how it ended', async () => {
  const agent = new InterruptController({ name: 'server', graceMs: 50 });
  const spoken = deferred();
  let report: unknown;
  stage.script = async ({ input, send, response }) => {
    const body: Parameters<typeof serveRun>[1] = async (turn, { emit }) => {
      emit({ type: 'TEXT_MESSAGE_START', messageId: 'm1' });
      // More than what lies between the two sides takes.
      const delta = 'word '.repeat(2_000);
      for (let n = 0; n < 1_000; n++) emit({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta });
      spoken.resolve();
      await turn.token.whenCancelled();
    };
    report = await serveRun(agent, body, { input, emit: send, dialect: openaiChat });
    response.end();
  };
  const reading = await new Promise<IncomingMessage>((resolve) => {
    const asking = ask(stage.server.url, { method: 'POST' }, resolve);
    asking.end(JSON.stringify({ threadId: 't', runId: 'r', messages: [] }));
  });
  await spoken.promise;
  agent.cancel('user');
  await eventually(() => {
    expect(report).toMatchObject({ status: 'cancelled', reason: { kind: 'user' } });
  });
  let text = '';
  for await (const piece of reading.setEncoding('utf8')) text += String(piece);
  const events = text
    .trim()
    .split('\n\n')
    .map((line) => JSON.parse(line.slice('data: '.length)) as object);
  expect(events).toHaveLength(1_004);
  expect(events.at(-2)).toEqual({ type: 'TEXT_MESSAGE_END', messageId: 'm1' });
  expect(events.at(-1)).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } });
  await agent.close();
});

it('somebody who listens to the agent and takes his time holds up no stop beyond its grace', async () => {
  stage.script = (connection) => {
    begin(connection);
  };
  const person = new CancellationTokenSource();
  const agent = agentWith();
  const heard = deferred();
  const end = deferred();
  const { unsubscribe } = agent.subscribe({
    async onToolCallArgsEvent() {
      heard.resolve();
      await end.promise;
    },
  });
  const running = runAgent(person.token, agent, { settle, graceMs: 50 }).catch((error: unknown) => error);
  await heard.promise;
  person.cancel('user');
  expect(await running).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
  expect(faultsOf(agent.messages)).toEqual([]);
  const settled = structuredClone(agent.messages);
  agent.addMessage({ id: 'u2', role: 'user', content: 'again' });
  end.resolve();
  await new Promise((resolve) => setImmediate(resolve));
  expect(agent.messages).toEqual([...settled, { id: 'u2', role: 'user', content: 'again' }]);
  unsubscribe();
});

it('two hundred runs that are served at once are stopped at once, and each client reads that it was cancelled', async () => {
  const agents = Array.from(
    { length: 200 },
    (_, n) => new InterruptController({ name: `run ${String(n)}`, graceMs: 50 }),
  );
  const left = [...agents];
  let begun = 0;
  stage.script = async ({ input, send, response }) => {
    const agent = left.pop() as InterruptController;
    const body: Parameters<typeof serveRun>[1] = async (turn, { emit }) => {
      begun += 1;
      emit({ type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'pay' });
      emit({ type: 'TOOL_CALL_END', toolCallId: 'a' });
      await turn.tool({ id: 'a', name: 'pay' }, (_call, { token }) => token.whenCancelled());
    };
    await serveRun(agent, body, { input, emit: send, dialect: openaiChat });
    response.end();
  };
  const clients = agents.map(() => agentWith());
  const runs = clients.map((client) => runAgent(undefined, client, { settle }).catch((error: unknown) => error));
  await eventually(() => {
    expect(begun).toBe(200);
  });
  for (const agent of agents) agent.cancel('user');
  const errors = await Promise.all(runs);
  expect(errors.filter((error) => !isCancelledError(error))).toEqual([]);
  expect(clients.filter(({ messages }) => messages.at(-1)?.role !== 'tool')).toEqual([]);
  await eventually(() => {
    expect(stage.server.counts().open).toBe(0);
  });
  await Promise.all(agents.map((agent) => agent.close()));
}, 300_000);
