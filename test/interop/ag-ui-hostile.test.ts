/** AG-UI on a bad day: a server that dies, says nonsense, is deaf or silent; an agent behind a proxy; a client that is gone. */
import { expect, it, vi } from 'vitest';

import { runAgent, serveRun } from '../../src/adapters/ag-ui/index.ts';
import { isCancelledError } from '../../src/core/foundation/errors.ts';
import { CancellationTokenSource, DeadlineExceededError, InterruptController } from '../../src/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { eventually } from '../support/eventually.ts';
import { limitMs } from '../support/limit.ts';
import type { AgUiConnection } from './support/ag-ui-server.ts';
import { agUiStage, faultsOf, quiet, settle, started } from './support/ag-ui-stage.ts';

const stage = await agUiStage();
const { agentWith } = stage;
quiet();

const call = ({ send }: AgUiConnection, toolCallId: string, name = 'rm'): void => {
  send({ type: 'TOOL_CALL_START', toolCallId, toolCallName: name, parentMessageId: 'm1' });
  send({ type: 'TOOL_CALL_ARGS', toolCallId, delta: '{}' });
  send({ type: 'TOOL_CALL_END', toolCallId });
};
const canBeSent = (messages: readonly object[]): void => {
  expect(faultsOf(messages)).toEqual([]);
};

it.each([
  ['no id', '', undefined],
  ['no name', 'c1', ''],
])('a call with %s leaves messages that can be sent again', async (_what, id, name) => {
  stage.script = (connection) => {
    started(connection);
    call(connection, id, name);
  };
  const stop = new CancellationTokenSource();
  const agent = agentWith();
  const running = runAgent(stop.token, agent, { settle }).catch((error: unknown) => error);
  await eventually(() => {
    expect(stage.server.inputs.at(-1)).toBeDefined();
  });
  stop.cancel('user');
  expect(await running).toBeInstanceOf(Error);
  canBeSent(agent.messages);
});

it.each([
  ['an error without words', { type: 'RUN_ERROR' }],
  ['an end that is none', { type: 'RUN_FINISHED', outcome: 'yes' }],
  ['an event of no protocol', { type: 'NONSENSE' }],
  ['an end of a part that never began', { type: 'TEXT_MESSAGE_END', messageId: 'm9' }],
])('%s fails the run, and is no stop', async (_what, event) => {
  stage.script = (connection) => {
    started(connection);
    connection.send(event);
    connection.response.end();
  };
  const agent = agentWith();
  const outcome = await runAgent(undefined, agent, { settle }).then(
    () => 'finished',
    (error: unknown) => isCancelledError(error),
  );
  expect([false, 'finished']).toContain(outcome);
  expect(agent.isRunning).toBe(false);
  canBeSent(agent.messages);
});

it('a server that is silent beyond a limit ends the run as that, and its connection', async () => {
  stage.script = started;
  const before = stage.server.counts().cut;
  const agent = agentWith();
  const error: unknown = await runAgent(undefined, agent, { settle, timeoutMs: limitMs(500) }).catch(
    (failure: unknown) => failure,
  );
  expect(error).toBeInstanceOf(DeadlineExceededError);
  await eventually(() => {
    expect(stage.server.counts()).toEqual({ open: 0, cut: before + 1 });
  });
});

it('a server that is asked to stop and is deaf is left after the grace, and its connection closed', async () => {
  stage.script = started;
  const stop = new CancellationTokenSource();
  const agent = agentWith();
  const before = stage.server.counts().cut;
  const cancel = vi.fn(() => new Promise(() => undefined));
  const running = runAgent(stop.token, agent, { settle, cancel, graceMs: 50 }).catch((error: unknown) => error);
  await eventually(() => {
    expect(stage.server.counts().open).toBe(1);
  });
  stop.cancel('user');
  expect(await running).toMatchObject({ name: 'AbortError' });
  expect(cancel).toHaveBeenCalledTimes(1);
  await eventually(() => {
    expect(stage.server.counts()).toEqual({ open: 0, cut: before + 1 });
  });
});

it('an agent behind a proxy is stopped like any', async () => {
  stage.script = (connection) => {
    started(connection);
    call(connection, 'c1');
  };
  const stop = new CancellationTokenSource();
  const agent = agentWith();
  const proxy = new Proxy(agent, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const running = runAgent(stop.token, proxy, { settle }).catch((error: unknown) => error);
  await eventually(() => {
    expect(agent.messages).toHaveLength(2);
  });
  stop.cancel('user');
  expect(await running).toMatchObject({ name: 'AbortError', reason: { kind: 'user' } });
  canBeSent(agent.messages);
});

it('words of a person do not reach the client of a run that they have stopped', async () => {
  const agent = new InterruptController({ name: 'server', graceMs: 50 });
  let told = '';
  stage.script = async ({ input, send, response }) => {
    const emit = (event: object): void => {
      told += JSON.stringify(event);
      send(event);
    };
    await serveRun(
      agent,
      async (turn, run) => {
        run.emit({ type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'pay' });
        run.emit({ type: 'TOOL_CALL_END', toolCallId: 'a' });
        await turn.tool({ id: 'a', name: 'pay' }, async ({ id }, { cancelTurn, token }) => {
          void id;
          void cancelTurn({ kind: 'user', message: 'the customer from Monday' });
          await token.whenCancelled();
          token.throwIfCancelled();
        });
      },
      { input, emit, dialect: openaiChat },
    );
    response.end();
  };
  await runAgent(undefined, agentWith(), { settle }).catch(() => undefined);
  expect(told).toContain('TOOL_CALL_RESULT');
  expect(told).not.toContain('Monday');
  await agent.close();
});

it('a client that is gone in the middle of a run stops nothing but the telling, without a token', async () => {
  const agent = new InterruptController({ name: 'server', graceMs: 50 });
  let report: unknown;
  stage.script = async ({ input, send, response, closed }) => {
    report = await serveRun(
      agent,
      async (_turn, { emit }) => {
        emit({ type: 'TEXT_MESSAGE_START', messageId: 'm1' });
        await closed;
        emit({ type: 'TEXT_MESSAGE_END', messageId: 'm1' });
        return 'done';
      },
      { input, emit: send, dialect: openaiChat },
    );
    response.end();
  };
  const stop = new CancellationTokenSource();
  const running = runAgent(stop.token, agentWith(), { settle }).catch((error: unknown) => error);
  await eventually(() => {
    expect(stage.server.counts().open).toBe(1);
  });
  stop.cancel('user');
  await running;
  await eventually(() => {
    expect(report).toMatchObject({ status: 'completed', value: 'done' });
  });
  await agent.close();
});
