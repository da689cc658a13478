import { expect, it, vi } from 'vitest';

import { serveRun, type AgUiEvent } from '../../../src/adapters/ag-ui/index.ts';
import { CancellationTokenSource, delay, InterruptController } from '../../../src/index.ts';
import { openaiChat } from '../../../src/transcript/dialects/openai-chat/index.ts';

const input = { threadId: 't', runId: 'r' };

function stage() {
  const controller = new InterruptController();
  const events: AgUiEvent[] = [];
  const emit = (event: AgUiEvent): void => {
    events.push(event);
  };
  return { controller, events, options: { input, emit, dialect: openaiChat } };
}

it('a turn that completes is a run that has finished, with its value, and leaves its calls to the client', async () => {
  const { controller, events, options } = stage();
  const report = await serveRun(
    controller,
    (_turn, { emit }) => {
      emit({ type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'ask' });
      emit({ type: 'TOOL_CALL_END', toolCallId: 'a' });
      return 7;
    },
    options,
  );
  expect(report.unwrap()).toBe(7);
  expect(events.map(({ type }) => type)).toEqual(['RUN_STARTED', 'TOOL_CALL_START', 'TOOL_CALL_END', 'RUN_FINISHED']);
  expect(events.at(-1)).toEqual({ type: 'RUN_FINISHED', ...input, result: 7, outcome: { type: 'success' } });
});

it('a stop ends what is open, and answers each call by its row', async () => {
  const { controller, events, options } = stage();
  await serveRun(
    controller,
    async (turn, { emit }) => {
      emit({ type: 'TEXT_MESSAGE_START', messageId: 'm' });
      emit({ type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'pay' });
      await turn.tool({ id: 'a', name: 'pay' }, async (_call, { token }) => {
        controller.cancel('user');
        await delay(token, 60_000);
      });
      emit({ type: 'TOOL_CALL_START', toolCallId: 'b', toolCallName: 'ship' });
    },
    options,
  );
  expect(events.map(({ type, messageId, toolCallId }) => [type, toolCallId ?? messageId])).toMatchObject([
    ['RUN_STARTED', undefined],
    ['TEXT_MESSAGE_START', 'm'],
    ['TOOL_CALL_START', 'a'],
    ['TOOL_CALL_START', 'b'],
    ['TOOL_CALL_ARGS', 'b'],
    ['TOOL_CALL_END', 'b'],
    ['TOOL_CALL_ARGS', 'a'],
    ['TOOL_CALL_END', 'a'],
    ['TEXT_MESSAGE_END', 'm'],
    ['TOOL_CALL_RESULT', 'a'],
    ['TOOL_CALL_RESULT', 'b'],
    ['RUN_FINISHED', undefined],
  ]);
  const [first, second] = events.filter(({ type }) => type === 'TOOL_CALL_RESULT') as { content?: string }[];
  expect([first?.content, second?.content]).toEqual([
    expect.stringContaining('stopped'),
    expect.stringContaining('not started'),
  ]);
  expect(events.at(-1)).toEqual({ type: 'RUN_FINISHED', ...input, outcome: { type: 'cancelled' } });
});

it('a stop answers a call that was tried again by its last row, and one of an earlier turn by none', async () => {
  const { controller, events, options } = stage();
  let listening = 0;
  const onEvent: typeof controller.onEvent = (...args) => {
    const registration = controller.onEvent(...args);
    listening += 1;
    const unregister = (): boolean => {
      listening -= 1;
      return registration.unregister();
    };
    return { ...registration, unregister };
  };
  const agent = new Proxy(controller, {
    get: (own, name) => (name === 'onEvent' ? onEvent : Reflect.get(own, name)) as unknown,
  });
  const fail = (): never => {
    throw new Error('503');
  };
  await controller.runTurn((turn) => turn.tool({ id: 'a', name: 'pay' }, fail));
  await serveRun(
    agent,
    async (turn, { emit }) => {
      for (const toolCallId of ['a', 'b']) emit({ type: 'TOOL_CALL_START', toolCallId, toolCallName: 'pay' });
      await turn.tool({ id: 'b', name: 'pay' }, fail);
      await turn.tool({ id: 'b', name: 'pay' }, async (_call, { token }) => {
        controller.cancel('user');
        await delay(token, 60_000);
      });
    },
    options,
  );
  const results = events.filter(({ type }) => type === 'TOOL_CALL_RESULT') as { content?: string }[];
  expect(results.map(({ content }) => content)).toEqual([
    expect.stringContaining('not started'),
    expect.stringContaining('stopped'),
  ]);
  expect(listening).toBe(0);
});

it('a failure is an error of the run, and its calls are answered', async () => {
  const { controller, events, options } = stage();
  await serveRun(
    controller,
    (_turn, { emit }) => {
      emit({ type: 'TOOL_CALL_START', toolCallId: 'a', toolCallName: 'pay' });
      throw new Error('no model');
    },
    options,
  );
  expect(events.at(-2)).toMatchObject({ type: 'TOOL_CALL_RESULT', toolCallId: 'a' });
  expect(events.at(-1)).toEqual({ type: 'RUN_ERROR', message: 'no model' });
});

it('a connection that was gone before the start is a run that was cancelled, and its body is not called', async () => {
  const { controller, events, options } = stage();
  const connection = new CancellationTokenSource();
  connection.cancel('disconnect');
  const body = vi.fn();
  const report = await serveRun(controller, body, { ...options, token: connection.token });
  expect(report.status).toBe('cancelled');
  expect(body).not.toHaveBeenCalled();
  expect(events.map(({ type }) => type)).toEqual(['RUN_STARTED', 'RUN_FINISHED']);
});

const inner = { threadId: 'inner', runId: 'i' };
const interrupt = { type: 'interrupt', interrupts: [{ id: 'x' }] };

it.each([
  ['its end', { type: 'RUN_FINISHED', ...inner, outcome: interrupt }, { ...input, outcome: interrupt, result: 7 }],
  ['an end without words', { type: 'RUN_FINISHED', ...inner }, { ...input, outcome: { type: 'success' }, result: 7 }],
])('a body that passes on another run has one beginning, and %s as its own', async (_what, end, expected) => {
  const { controller, events, options } = stage();
  const passOn = async (_turn: unknown, { emit }: { readonly emit: (event: AgUiEvent) => void }) => {
    for (const event of [{ type: 'RUN_STARTED', ...inner }, { type: 'TEXT_MESSAGE_START', messageId: 'm' }, end]) {
      emit(event);
      await Promise.resolve();
    }
    return 7;
  };
  const report = await serveRun(controller, passOn, options);
  expect(report.status).toBe('completed');
  expect(events.map(({ type }) => type)).toEqual([
    'RUN_STARTED',
    'TEXT_MESSAGE_START',
    'TEXT_MESSAGE_END',
    'RUN_FINISHED',
  ]);
  expect(events[0]).toMatchObject(input);
  expect(events.at(-1)).toEqual({ type: 'RUN_FINISHED', ...expected });
});

it.each([
  ['nothing', []],
  ['an end', [{ type: 'RUN_FINISHED', ...inner }]],
  ['another error', [{ type: 'RUN_ERROR', message: 'gone' }]],
])(
  'a body that tells of an error and then of %s is a turn that failed, and the run ends with that error',
  async (_what, behind) => {
    const { controller, events, options } = stage();
    const error = { type: 'RUN_ERROR', message: 'inner failed', code: 'overloaded' };
    const report = await serveRun(
      controller,
      (_turn, { emit }) => {
        for (const event of [error, ...behind]) emit(event);
      },
      options,
    );
    expect(report).toMatchObject({ status: 'failed', error: { message: 'inner failed' } });
    expect([events.length, events.at(-1)]).toEqual([2, error]);
  },
);

it('a stop ends the run as cancelled, whatever end its body has passed on', async () => {
  const { controller, events, options } = stage();
  await serveRun(
    controller,
    (turn, { emit }) => {
      emit({ type: 'RUN_ERROR' });
      controller.cancel('user');
      turn.checkpoint();
    },
    options,
  );
  expect(events.at(-1)).toEqual({ type: 'RUN_FINISHED', ...input, outcome: { type: 'cancelled' } });
});

it('nothing is said after the end', async () => {
  const { controller, events, options } = stage();
  let late: (event: AgUiEvent) => void = () => undefined;
  await serveRun(
    controller,
    (_turn, { emit }) => {
      late = emit;
    },
    options,
  );
  late({ type: 'CUSTOM' });
  expect(events.at(-1)?.type).toBe('RUN_FINISHED');
});

it('an agent at work refuses the run, and nothing is said', async () => {
  const { controller, events, options } = stage();
  const first = controller.runTurn(({ token }) => delay(token, 60_000));
  await expect(serveRun(controller, () => undefined, options)).rejects.toThrow('is running');
  expect(events).toEqual([]);
  controller.cancel('user');
  await first;
});

const nothing = (): void => undefined;

it.each([
  ['controller must be an InterruptController', [{}, nothing, { input, emit: nothing, dialect: openaiChat }]],
  ['body must be a function', [new InterruptController(), 1, { input, emit: nothing, dialect: openaiChat }]],
  ['with threadId and runId', [new InterruptController(), nothing, { input: {}, emit: nothing, dialect: openaiChat }]],
  ['options.emit must be a function', [new InterruptController(), nothing, { input, dialect: openaiChat }]],
  ['options.dialect must be a dialect', [new InterruptController(), nothing, { input, emit: nothing }]],
  ['options.limit is no option', [new InterruptController(), nothing, { input, limit: 1 }]],
])('nonsense is refused: %s', async (message, given) => {
  await expect(serveRun(...(given as unknown as Parameters<typeof serveRun>))).rejects.toThrow(message);
});
