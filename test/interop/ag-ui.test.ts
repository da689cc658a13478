/** AG-UI on both sides: its own client against a scripted server, and against runs that are turns. */
import { describe, expect, it, vi } from 'vitest';

import { runAgent, serveRun, type AgUiEvent } from '../../src/adapters/ag-ui/index.ts';
import { isCancelledError } from '../../src/core/foundation/errors.ts';
import { CancellationTokenSource, delay, InterruptController } from '../../src/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { describeBare } from '../support/bare.ts';
import { eventually } from '../support/eventually.ts';
import type { AgUiConnection } from './support/ag-ui-server.ts';
import { agUiStage, faultsOf, settle, started } from './support/ag-ui-stage.ts';

const stage = await agUiStage();
const { agentWith } = stage;

const finished = ({ input: { threadId, runId }, send, response }: AgUiConnection, more: object = {}): void => {
  send({ type: 'RUN_FINISHED', threadId, runId, ...more });
  response.end();
};
const text = ({ send }: AgUiConnection): void => {
  send({ type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' });
  send({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: 'half a ' });
};
const halfCall = ({ send }: AgUiConnection): void => {
  send({ type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'rm', parentMessageId: 'm1' });
  send({ type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"path":' });
};
const wholeCall = ({ send }: AgUiConnection): void => {
  send({ type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'rm', parentMessageId: 'm1' });
  send({ type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{}' });
  send({ type: 'TOOL_CALL_END', toolCallId: 'c1' });
};

const finishedAtOnce = (connection: AgUiConnection): void => {
  started(connection);
  finished(connection);
};

describeBare('the client alone', () => {
  it('resolves as if all were well after abortRun(), with half a call in its messages', async () => {
    stage.script = (connection) => {
      started(connection);
      halfCall(connection);
    };
    const agent = agentWith();
    const running = agent.runAgent({});
    await eventually(() => {
      expect(agent.messages).toHaveLength(2);
    });
    agent.abortRun();
    await expect(running).resolves.toMatchObject({ newMessages: [{ role: 'assistant' }] });
    expect(agent.messages).toMatchObject([{}, { toolCalls: [{ function: { arguments: '{"path":' } }] }]);
    expect(faultsOf(agent.messages)).not.toEqual([]);
    await eventually(() => {
      expect(stage.server.counts().open).toBe(0);
    });
  });
});

describe('the client under a token', () => {
  it.each([
    ['words', text, [{ role: 'user' }, { role: 'assistant', content: 'half a ' }]],
    ['half a call', halfCall, undefined],
    ['a whole call', wholeCall, undefined],
  ] as const)(
    'S17 rejects with the reason while %s streams, and its messages can be sent again',
    async (_name, say, expected) => {
      stage.script = (connection) => {
        started(connection);
        say(connection);
      };
      const stop = new CancellationTokenSource();
      const agent = agentWith();
      const before = stage.server.counts().cut;
      const running = runAgent(stop.token, agent, { settle });
      await eventually(() => {
        expect(agent.messages).toHaveLength(2);
        expect(JSON.stringify(agent.messages)).toMatch(/half a|arguments":"\{/);
      });
      stop.cancel({ kind: 'user', message: 'enough' });
      await expect(running).rejects.toMatchObject({ name: 'AbortError', reason: { message: 'enough' } });
      expect(agent.isRunning).toBe(false);
      expect(faultsOf(agent.messages)).toEqual([]);
      if (expected !== undefined) expect(agent.messages).toMatchObject(expected);
      await eventually(() => {
        expect(stage.server.counts()).toEqual({ open: 0, cut: before + 1 });
      });
      stage.script = finishedAtOnce;
      await runAgent(undefined, agent, { settle });
      expect(stage.server.inputs.at(-1)?.messages.map(({ id }) => id)).toEqual(agent.messages.map(({ id }) => id));
    },
  );

  it('a stop before the server has answered ends the request', async () => {
    stage.script = () => undefined;
    const stop = new CancellationTokenSource();
    const agent = agentWith();
    const asked = stage.server.inputs.length;
    const running = runAgent(stop.token, agent, { settle });
    await eventually(() => {
      expect(stage.server.inputs).toHaveLength(asked + 1);
    });
    stop.cancel('user');
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(agent.messages).toMatchObject([{ role: 'user' }]);
  });

  it('a stop before the start asks nobody', async () => {
    const stop = new CancellationTokenSource();
    stop.cancel('user');
    const asked = stage.server.inputs.length;
    await expect(runAgent(stop.token, agentWith(), { settle })).rejects.toMatchObject({ name: 'AbortError' });
    expect(stage.server.inputs).toHaveLength(asked);
  });

  it('a run that has finished beats the stop, and its calls are the program’s to answer', async () => {
    stage.script = (connection) => {
      started(connection);
      wholeCall(connection);
      finished(connection);
    };
    const stop = new CancellationTokenSource();
    const agent = agentWith();
    agent.subscribe({
      onRunFinishedEvent: () => {
        stop.cancel('user');
      },
    });
    await expect(runAgent(stop.token, agent, { settle })).resolves.toMatchObject({
      newMessages: [{ role: 'assistant' }],
    });
    expect(agent.messages).toHaveLength(2);
  });

  it('RUN_ERROR rejects with its message, and so does a connection that ends without an end', async () => {
    stage.script = (connection) => {
      started(connection);
      connection.send({ type: 'RUN_ERROR', message: 'out of tokens' });
      connection.response.end();
    };
    await expect(runAgent(undefined, agentWith(), { settle })).rejects.toThrow('out of tokens');
    stage.script = (connection) => {
      started(connection);
      halfCall(connection);
      connection.response.end();
    };
    const agent = agentWith();
    await expect(runAgent(undefined, agent, { settle })).rejects.toThrow();
    expect(faultsOf(agent.messages)).toEqual([]);
  });

  it('a server that is gone fails the run, and is no stop', async () => {
    // The SDK says it there, too.
    const said = vi.spyOn(console, 'error').mockImplementation(() => undefined);
    stage.script = ({ response }) => {
      response.destroy();
    };
    const agent = agentWith();
    const error: unknown = await runAgent(undefined, agent, { settle }).catch((failure: unknown) => failure);
    expect(isCancelledError(error)).toBe(false);
    expect(error).toBeInstanceOf(Error);
    expect(agent.messages).toMatchObject([{ role: 'user' }]);
    said.mockRestore();
  });

  it.each(['abortRun', 'server'] as const)('a run that is cancelled by %s rejects as one, kind unknown', async (by) => {
    const agent = agentWith();
    stage.script = (connection) => {
      started(connection);
      text(connection);
      if (by === 'abortRun') setImmediate(() => agent.abortRun());
      else {
        connection.send({ type: 'TEXT_MESSAGE_END', messageId: 'm1' });
        finished(connection, { outcome: { type: 'cancelled' } });
      }
    };
    await expect(runAgent(undefined, agent, { settle })).rejects.toMatchObject({
      name: 'AbortError',
      reason: { kind: 'unknown' },
    });
  });

  it('two hundred runs at once leave no connection', async () => {
    stage.script = (connection) => {
      started(connection);
      halfCall(connection);
    };
    const stop = new CancellationTokenSource();
    const asked = stage.server.inputs.length;
    const runs = Array.from({ length: 200 }, () => runAgent(stop.token, agentWith(), { settle }));
    const settled = Promise.allSettled(runs);
    await eventually(() => {
      expect(stage.server.inputs).toHaveLength(asked + 200);
    });
    stop.cancel('user');
    for (const run of await settled) expect(run).toMatchObject({ status: 'rejected', reason: { name: 'AbortError' } });
    await eventually(() => {
      expect(stage.server.counts().open).toBe(0);
    });
  });
});

describe('a run of the server as a turn', () => {
  const served = new InterruptController({ name: 'server', graceMs: 50 });
  /** Serves each request with a body. */
  const serve = (body: Parameters<typeof serveRun>[1], agent = served): void => {
    stage.script = async ({ input, send, response, closed }) => {
      const connection = new CancellationTokenSource();
      void closed.then(() => connection.cancel('disconnect'));
      await serveRun(agent, body, { input, emit: send, dialect: openaiChat, token: connection.token });
      response.end();
    };
  };

  it('tells the client what it says, and ends with success', async () => {
    serve((_turn, { emit }) => {
      emit({ type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' } as never);
      emit({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: 'hello' });
      emit({ type: 'TEXT_MESSAGE_END', messageId: 'm1' });
      return { cost: 7 };
    });
    const agent = agentWith();
    await expect(runAgent(undefined, agent, { settle })).resolves.toMatchObject({ result: { cost: 7 } });
    expect(agent.messages).toMatchObject([{ role: 'user' }, { role: 'assistant', content: 'hello' }]);
  });

  it.each([
    ['by their start', 'TOOL_CALL_START'],
    ['in chunks', 'TOOL_CALL_CHUNK'],
  ])('S02 a stop ends it as cancelled, with a result for each call shown %s, by its row', async (_how, type) => {
    serve(async (turn, { emit }) => {
      emit({ type, toolCallId: 'a', toolCallName: 'pay', parentMessageId: 'm1' } as never);
      if (type === 'TOOL_CALL_START') emit({ type: 'TOOL_CALL_END', toolCallId: 'a' });
      emit({ type, toolCallId: 'b', toolCallName: 'ship', parentMessageId: 'm1' } as never);
      const call = { id: 'a', name: 'pay' };
      await turn.tool(call, async (_call, { token }) => {
        served.cancel('user');
        await delay(token, 60_000);
      });
      turn.checkpoint();
    });
    const agent = agentWith();
    await expect(runAgent(undefined, agent, { settle })).rejects.toMatchObject({ reason: { kind: 'unknown' } });
    const results = agent.messages.filter(({ role }) => role === 'tool');
    expect(results).toMatchObject([
      { toolCallId: 'a', content: expect.stringContaining('stopped') as string },
      { toolCallId: 'b', content: expect.stringContaining('not started') as string },
    ]);
    expect(faultsOf(agent.messages)).toEqual([]);
  });

  const cuts = [[], ['{"to'], ['{"to":', '"Ann"}']];
  const start = { type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'pay' };
  const argsOf = (delta: string) => ({ type: 'TOOL_CALL_ARGS', toolCallId: 'a', delta });
  const end = { type: 'TOOL_CALL_END', toolCallId: 'a' };
  const chunkOf = (delta?: string) => ({ ...start, type: 'TOOL_CALL_CHUNK', ...(delta !== undefined && { delta }) });
  const other = { type: 'CUSTOM', name: 'x', value: 1 } as AgUiEvent;
  const of = { subagentRunId: 's' };
  const asked = { id: 'm1', role: 'assistant', toolCalls: [{ id: 'a', type: 'function', function: { name: 'pay', arguments: '{"to' } }] }; // prettier-ignore
  const snapshot = { type: 'MESSAGES_SNAPSHOT', messages: [{ id: 'u1', role: 'user', content: 'go' }, asked] };
  const halves: [what: string, before: AgUiEvent[], after: AgUiEvent[]][] = [
    ...cuts.flatMap((deltas): typeof halves => [
      [`after ${JSON.stringify(deltas)}`, [start, ...deltas.map(argsOf)], []],
      [`in chunks, after ${JSON.stringify(deltas)}`, [chunkOf(), ...deltas.map(chunkOf)], []],
      [`that ends it, after ${JSON.stringify(deltas)}`, [start, ...deltas.map(argsOf)], [end]],
      [`behind its end, after ${JSON.stringify(deltas)}`, [start, ...deltas.map(argsOf), end], []],
      [
        `behind a chunk of other words, after ${JSON.stringify(deltas)}`,
        [chunkOf(), ...deltas.map(chunkOf), other],
        [],
      ],
    ]),
    ['behind chunks between which something else came', [chunkOf('{"to'), other, chunkOf('":[')], []],
    ['that a snapshot shows', [snapshot], []],
    ['that goes on behind a snapshot', [snapshot, start, argsOf('":"A')], []],
    ['of a sub-agent that has ended', [{ type: 'SUBAGENT_STARTED', ...of, name: 's' } as AgUiEvent, { ...start, ...of }, { ...argsOf('{"to'), ...of }], [{ ...end, ...of }, { type: 'SUBAGENT_FINISHED', ...of }]], // prettier-ignore
  ];

  it.each(halves)(
    'S02 a stop while a call streams leaves its client what can be sent again as it is: %s',
    async (_what, before, after) => {
      serve((turn, { emit }) => {
        for (const event of before) emit(event);
        served.cancel('user');
        for (const event of after) emit(event);
        turn.checkpoint();
      });
      const agent = agentWith();
      await agent.runAgent({});
      expect(agent.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
      const calls = agent.messages.flatMap((message) => ('toolCalls' in message ? (message.toolCalls ?? []) : []));
      expect(calls.map(({ function: { arguments: json } }) => JSON.parse(json) as unknown)).toHaveLength(1);
      expect(faultsOf(agent.messages)).toEqual([]);
    },
  );

  it('S02 a stop behind a snapshot answers the calls of that, and what came after it', async () => {
    const callOf = (id: string) => ({ id, type: 'function', function: { name: 'pay', arguments: '{}' } });
    serve((turn, { emit }) => {
      emit({ type: 'TOOL_CALL_START', toolCallId: 'gone', toolCallName: 'pay' });
      emit({ type: 'TOOL_CALL_END', toolCallId: 'gone' });
      const messages = [
        { id: 'u1', role: 'user', content: 'go' },
        { id: 'm1', role: 'assistant', toolCalls: [callOf('old'), callOf('done')] },
        { id: 't1', role: 'tool', toolCallId: 'done', content: 'paid' },
      ];
      emit({ type: 'MESSAGES_SNAPSHOT', messages } as never);
      emit({ type: 'TOOL_CALL_START', toolCallId: 'new', toolCallName: 'pay' });
      served.cancel('user');
      turn.checkpoint();
    });
    const agent = agentWith();
    await agent.runAgent({});
    expect(agent.messages.flatMap((message) => ('toolCallId' in message ? [message.toolCallId] : [])).sort()).toEqual([
      ...['done', 'new', 'old'],
    ]);
    expect(faultsOf(agent.messages)).toEqual([]);
  });

  it('a client that closes its connection stops the turn', async () => {
    let ended: (reason: unknown) => void = () => undefined;
    const end = new Promise((resolve) => {
      ended = resolve;
    });
    serve(async (turn, { emit }) => {
      emit({ type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' } as never);
      emit({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: 'hello' });
      ended(await turn.token.whenCancelled());
    });
    const stop = new CancellationTokenSource();
    const agent = agentWith();
    const running = runAgent(stop.token, agent, { settle });
    await eventually(() => {
      expect(agent.messages).toHaveLength(2);
    });
    stop.cancel('user');
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect(await end).toMatchObject({ kind: 'disconnect' });
  });

  it('a failure is RUN_ERROR with its message', async () => {
    serve((_turn, { emit }) => {
      emit({ type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant' } as never);
      throw new Error('no model');
    });
    await expect(runAgent(undefined, agentWith(), { settle })).rejects.toThrow('no model');
  });
});
