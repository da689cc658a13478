import type { ChildProcess } from 'node:child_process';
import { Worker as NodeWorker } from 'node:worker_threads';

import { expectTypeOf, it } from 'vitest';

import {
  receiveToken,
  runBlocking,
  shareToken,
  superviseWorker,
  type SharedToken,
  type ThreadToken,
  type WorkerEnd,
} from '../../src/adapters/worker/index.ts';
import type { IpcProcess } from '../../src/adapters/worker/endpoint.ts';
import type { TokenHandle } from '../../src/adapters/worker/share-token.ts';
import type { WorkerLike } from '../../src/adapters/worker/supervise-worker.ts';
import type { CancellationToken } from '../../src/core/token/cancellation-token.ts';
import type { CancellationTokenSource } from '../../src/core/token/cancellation-token-source.ts';

const source = {} as CancellationTokenSource;
const token = {} as CancellationToken;

it('a token, a signal, a source or nothing can be shared', () => {
  expectTypeOf(shareToken(source)).toEqualTypeOf<ThreadToken>();
  for (const target of [source, token, {} as AbortSignal, null, undefined]) shareToken(target, { graceMs: 1 });
  // @ts-expect-error neither of the two
  shareToken('user');
  expectTypeOf<ThreadToken>().toExtend<SharedToken>();
  expectTypeOf<SharedToken['token']>().toEqualTypeOf<CancellationToken>();
});

it('what it gives fits the workers of both platforms', () => {
  const { handle, transferList, graceSignal } = shareToken(source);
  expectTypeOf(graceSignal).toEqualTypeOf<AbortSignal>();
  new NodeWorker('', { eval: true, workerData: handle, transferList });
  const web = {} as Pick<Worker, 'postMessage' | 'terminate'>;
  web.postMessage(handle, transferList);
  expectTypeOf(superviseWorker(token, web)).toEqualTypeOf<Promise<WorkerEnd>>();
  expectTypeOf<NodeWorker>().toExtend<WorkerLike>();
});

it('the end of a worker names the commands that it left alive', () => {
  expectTypeOf<WorkerEnd['survivors']>().toEqualTypeOf<
    readonly { readonly pid: number; readonly command: string }[] | 'unknown'
  >();
});

it('it is received from a handle, or inside a child process', () => {
  expectTypeOf(receiveToken({} as TokenHandle)).toEqualTypeOf<SharedToken>();
  expectTypeOf(receiveToken(process)).toEqualTypeOf<SharedToken>();
  expectTypeOf<ChildProcess>().toExtend<IpcProcess>();
  expectTypeOf(shareToken(source, { process })).toEqualTypeOf<SharedToken>();
});

it('a blocking call says what it gives', () => {
  expectTypeOf(runBlocking<number>(token, new URL('file:///x.js'), [1], { graceMs: 5 })).toEqualTypeOf<
    Promise<number>
  >();
  expectTypeOf(runBlocking(null, 'file:///x.js')).toEqualTypeOf<Promise<unknown>>();
});
