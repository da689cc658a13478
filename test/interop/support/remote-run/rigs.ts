import { awaitRun, followRun } from '../../../../src/adapters/remote-run/index.ts';
import { majors } from '../../majors.ts';
import { a2aRig } from '../../newest/a2a-rig.ts';
import { httpMachine, json, sse } from './http-machine.ts';
import { readAll, type RemoteRig } from './rig.ts';
import type { Job, WorkMachine } from './work-machine.ts';

export interface RigMaker {
  readonly name: string;
  /** Whether the name of a run comes from the other side, so that a stop can be before it. */
  readonly namesLate: boolean;
  make(machine: WorkMachine): Promise<RemoteRig>;
}

const [newest] = majors;
if (newest === undefined) throw new Error('no packages are installed');

const langGraph = await newest.load<typeof import('@langchain/langgraph-sdk')>('@langchain/langgraph-sdk');

/** The run stream of LangGraph's platform. */
async function langGraphRig(machine: WorkMachine): Promise<RemoteRig> {
  const stream = async (reply: Parameters<typeof json>[0], job: Job): Promise<void> => {
    const send = sse(reply, { 'content-location': `/threads/t1/runs/${job.id}` });
    send('metadata', { run_id: job.id });
    send('messages', [{ type: 'AIMessageChunk', content: 'w' }]);
    await machine.ended(job);
    reply.end();
  };
  const server = await httpMachine(async (request, reply, _body) => {
    const path = request.url ?? '';
    const id = /runs\/([^/?]+)/.exec(path)?.[1] ?? '';
    if (path.includes('/cancel')) {
      const said = machine.cancel(id);
      if (said !== 'deaf') json(reply, said === 'done' ? 202 : 409, {});
    } else if (request.method === 'POST') await stream(reply, await machine.create());
    else {
      const job = machine.jobs.get(id);
      if (job === undefined) json(reply, 404, {});
      else await stream(reply, job);
    }
  });
  const client = new langGraph.Client({ apiUrl: server.url, apiKey: null, callerOptions: { maxRetries: 0 } });
  const cancel: RemoteRig['cancel'] = (id, { signal }) => client.runs.cancel('t1', id, true, 'interrupt', { signal });
  const input = { input: {}, streamMode: 'messages' } as const;
  return {
    run: (token, options) =>
      readAll(
        followRun(
          token,
          ({ signal, named }) =>
            client.runs.stream('t1', 'agent', { ...input, signal, onRunCreated: ({ run_id: id }) => named(id) }),
          { cancel, name: 'langgraph run', ...options },
        ),
      ),
    attach: (token, id) =>
      readAll(followRun(token, ({ signal }) => client.runs.joinStream('t1', id, { signal }), { id, cancel })),
    cancel,
    alone: (signal) => readAll(client.runs.stream('t1', 'agent', { ...input, signal })),
    connections: server.connections,
    kill: server.kill,
  };
}

const { default: OpenAI } = await newest.load<typeof import('openai')>('openai');

/** A response of OpenAI's that goes on in the background. */
async function openaiRig(machine: WorkMachine): Promise<RemoteRig> {
  const response = (job: Job, status: string) => ({ id: `resp_${job.id}`, object: 'response', status, output: [] });
  const stream = async (reply: Parameters<typeof json>[0], job: Job): Promise<void> => {
    const send = sse(reply);
    send('response.created', { type: 'response.created', response: response(job, 'queued'), sequence_number: 0 });
    await machine.ended(job);
    if (job.state === 'completed') {
      const done = { type: 'response.completed', response: response(job, 'completed'), sequence_number: 1 };
      send('response.completed', done);
    }
    reply.end();
  };
  const server = await httpMachine(async (request, reply) => {
    const path = request.url ?? '';
    const job = machine.jobs.get(/resp_([^/?]+)/.exec(path)?.[1] ?? '');
    if (path.endsWith('/cancel') && job !== undefined) {
      const said = machine.cancel(job.id);
      if (said === 'done') json(reply, 200, response(job, 'cancelled'));
      else if (said === 'refused') json(reply, 400, { error: { message: 'cannot cancel' } });
    } else if (request.method === 'POST') await stream(reply, await machine.create());
    else if (job === undefined) json(reply, 404, {});
    else await stream(reply, job);
  });
  const client = new OpenAI({ baseURL: server.url, apiKey: 'x', maxRetries: 0 });
  const body = { model: 'm', input: 'go', background: true, stream: true } as const;
  const cancel: RemoteRig['cancel'] = (id, { signal }) => client.responses.cancel(id, { signal });
  const words = {
    cancel,
    name: 'response',
    idOf: (event: { readonly type: string; readonly response?: { readonly id: string } }) => event.response?.id,
    endOf: ({ type }: { readonly type: string }) => (type === 'response.completed' ? 'completed' : undefined),
  } as const;
  return {
    run: (token, options) =>
      readAll(followRun(token, ({ signal }) => client.responses.create(body, { signal }), { ...words, ...options })),
    attach: (token, id) =>
      readAll(
        followRun(token, ({ signal }) => client.responses.retrieve(id, { stream: true }, { signal }), { ...words, id }),
      ),
    cancel,
    alone: async (signal) => readAll(await client.responses.create(body, { signal })),
    connections: server.connections,
    kill: server.kill,
  };
}

const opencode = await newest.load<typeof import('@opencode-ai/sdk')>('@opencode-ai/sdk');

/** A session of opencode: its caller names it, and a prompt is one blocking request. */
async function opencodeRig(machine: WorkMachine): Promise<RemoteRig> {
  const server = await httpMachine(async (request, reply) => {
    const path = request.url ?? '';
    const id = /session\/([^/?]+)/.exec(path)?.[1] ?? '';
    if (path.endsWith('/abort')) {
      if (machine.cancel(id) !== 'deaf') json(reply, 200, true);
    } else if (request.method === 'POST') {
      const job = await machine.create(id);
      await machine.ended(job);
      const error =
        job.state === 'cancelled' ? { name: 'MessageAbortedError', data: { message: 'aborted' } } : undefined;
      json(reply, 200, { info: { id: 'm', role: 'assistant', error }, parts: [] });
    } else {
      const job = machine.jobs.get(id);
      if (job !== undefined) await machine.ended(job);
      json(reply, 200, [{ info: { id: 'm', role: 'assistant' }, parts: [] }]);
    }
  });
  const client = opencode.createOpencodeClient({ baseUrl: server.url });
  let count = 0;
  const cancel: RemoteRig['cancel'] = (id, { signal }) =>
    client.session.abort({ path: { id }, signal, throwOnError: true });
  const body = { parts: [{ type: 'text' as const, text: 'go' }] };
  return {
    run: (token, options) => {
      const id = `ses_${String(++count)}`;
      return awaitRun(
        token,
        ({ signal }) => client.session.prompt({ path: { id }, body, signal, throwOnError: true }),
        {
          id,
          cancel,
          name: 'opencode session',
          endOf: ({ data }) => (data.info.error?.name === 'MessageAbortedError' ? 'cancelled' : 'completed'),
          ...options,
        },
      );
    },
    attach: (token, id) =>
      awaitRun(token, ({ signal }) => client.session.messages({ path: { id }, signal, throwOnError: true }), {
        id,
        cancel,
      }),
    cancel,
    alone: (signal) =>
      client.session.prompt({ path: { id: `ses_${String(++count)}` }, body, signal, throwOnError: true }),
    connections: server.connections,
    kill: server.kill,
  };
}

export const rigMakers: readonly RigMaker[] = [
  { name: `LangGraph SDK ${newest.version('@langchain/langgraph-sdk')}`, namesLate: true, make: langGraphRig },
  { name: `responses in the background, openai ${newest.version('openai')}`, namesLate: true, make: openaiRig },
  { name: `opencode SDK ${newest.version('@opencode-ai/sdk')}`, namesLate: false, make: opencodeRig },
  { name: `A2A SDK ${newest.version('@a2a-js/sdk')}`, namesLate: true, make: a2aRig },
];
