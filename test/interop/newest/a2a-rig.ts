import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

import { followRun, turnExecutor } from '../../../src/adapters/remote-run/index.ts';
import { majors } from '../majors.ts';
import { listen } from '../support/remote-run/http-machine.ts';
import { readAll, type RemoteRig } from '../support/remote-run/rig.ts';
import type { WorkMachine } from '../support/remote-run/work-machine.ts';

const [newest] = majors;
if (newest === undefined) throw new Error('no packages are installed');

const { AgentCard, Message, TaskState } = await newest.load<typeof import('@a2a-js/sdk')>('@a2a-js/sdk');
const { AgentEvent, DefaultRequestHandler, InMemoryTaskStore } =
  await newest.load<typeof import('@a2a-js/sdk/server')>('@a2a-js/sdk/server');
const { jsonRpcHandler, UserBuilder } =
  await newest.load<typeof import('@a2a-js/sdk/server/express')>('@a2a-js/sdk/server/express');
const { ClientFactory } = await newest.load<typeof import('@a2a-js/sdk/client')>('@a2a-js/sdk/client');
type Handler = (request: IncomingMessage, reply: ServerResponse, next: () => void) => void;
interface App {
  (request: IncomingMessage, reply: ServerResponse): void;
  use(handler: Handler): void;
  use(path: string, handler: unknown): void;
}
const { default: express } = await newest.load<{ readonly default: () => App }>('express');

type Context = Parameters<import('@a2a-js/sdk/server').AgentExecutor['execute']>[0];

const cardOf = (url: string) =>
  AgentCard.fromJSON({
    name: 'x',
    description: 'x',
    version: '1',
    protocolVersion: '1.0',
    capabilities: { streaming: true },
    skills: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    supportedInterfaces: [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }],
  });

/** A task of A2A, between the SDK's own client and the SDK's own server, whose every task is a turn. */
export async function a2aRig(machine: WorkMachine): Promise<RemoteRig> {
  const at = () => new Date().toISOString();
  const executor = turnExecutor<Context, ReturnType<typeof AgentEvent.task>>(
    async (turn, { taskId }) => {
      const job = machine.jobs.get(taskId);
      if (job === undefined) return;
      const stop = turn.token.onCancelled(() => machine.end(taskId, 'cancelled'));
      await machine.ended(job);
      stop.unregister();
      turn.checkpoint();
    },
    {
      announce: (context) =>
        AgentEvent.task({
          id: context.taskId,
          contextId: context.contextId,
          status: { state: TaskState.TASK_STATE_WORKING, message: undefined, timestamp: at() },
          artifacts: [],
          history: [context.userMessage],
          metadata: {},
        }),
      conclude: (context, { status }) =>
        AgentEvent.statusUpdate({
          taskId: context.taskId,
          contextId: context.contextId,
          status: {
            state: status === 'completed' ? TaskState.TASK_STATE_COMPLETED : TaskState.TASK_STATE_CANCELED,
            message: undefined,
            timestamp: at(),
          },
          metadata: {},
        }),
    },
  );
  const handler = new DefaultRequestHandler(cardOf('http://127.0.0.1:1/rpc'), new InMemoryTaskStore(), {
    execute: async (context, bus) => {
      await machine.create(context.taskId);
      await executor.execute(context, bus);
    },
    cancelTask: async (taskId) => {
      const job = machine.jobs.get(taskId);
      if (job !== undefined) job.cancels++;
      if (!machine.isDeaf) await executor.cancelTask(taskId);
    },
  });
  const app = express();
  app.use((_request, reply, next) => {
    reply.setHeader('connection', 'close');
    next();
  });
  app.use('/rpc', jsonRpcHandler({ requestHandler: handler, userBuilder: UserBuilder.noAuthentication }));
  const server = await listen(createServer(app));
  const client = await new ClientFactory().createFromAgentCard(cardOf(`${server.url}/rpc`));
  let count = 0;
  const message = () => {
    const messageId = `m${String(++count)}`;
    return { message: Message.fromJSON({ messageId, role: 'ROLE_USER', parts: [{ text: 'go' }] }) } as Parameters<
      typeof client.sendMessageStream
    >[0];
  };
  type Event = typeof client.sendMessageStream extends (...args: never[]) => AsyncGenerator<infer E> ? E : never;
  const cancel: RemoteRig['cancel'] = (id, { signal }) =>
    client.cancelTask({ id, tenant: '', metadata: {} }, { signal });
  const words = {
    cancel,
    name: 'a2a task',
    idOf: ({ payload }: Event) =>
      payload?.$case === 'task'
        ? payload.value.id
        : payload?.$case === 'statusUpdate'
          ? payload.value.taskId
          : undefined,
    endOf: ({ payload }: Event) => {
      if (payload?.$case !== 'statusUpdate') return undefined;
      const state = payload.value.status?.state;
      if (state === TaskState.TASK_STATE_CANCELED) return 'cancelled';
      return state === TaskState.TASK_STATE_COMPLETED ? 'completed' : undefined;
    },
  } as const;
  return {
    run: (token, options) =>
      readAll(
        followRun<Event>(token, ({ signal }) => client.sendMessageStream(message(), { signal }), {
          ...words,
          ...options,
        }),
      ),
    attach: (token, id) =>
      readAll(
        followRun<Event>(token, ({ signal }) => client.resubscribeTask({ id, tenant: '' }, { signal }), {
          ...words,
          id,
        }),
      ),
    cancel,
    alone: (signal) => readAll(client.sendMessageStream(message(), { signal })),
    connections: server.connections,
    kill: server.kill,
  };
}
