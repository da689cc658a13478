import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';

import { expectTypeOf, it } from 'vitest';

import {
  adopt,
  cancellableExec,
  cancellableSpawn,
  markedEnvironment,
  runSubprocessTool,
  type AdoptedProcess,
  type AdoptedResult,
  type CancellableExecOptions,
  type CancellableSpawnOptions,
  type ProcessResult,
  type ProcessRun,
} from '../../src/adapters/child-process/index.ts';
import type { LiveProcess } from '../../src/adapters/internal/process/process-table.ts';
import type { GuardStatus } from '../../src/adapters/internal/guardian/guard-status.ts';
import type { CancelReason } from '../../src/core/foundation/reason.ts';
import type { CancellationToken } from '../../src/core/token/cancellation-token.ts';

it('both functions give a handle that is awaited for the result', () => {
  expectTypeOf(cancellableSpawn).returns.toEqualTypeOf<ProcessRun>();
  expectTypeOf(cancellableExec).returns.toEqualTypeOf<ProcessRun>();
  expectTypeOf<Awaited<ProcessRun>>().toEqualTypeOf<ProcessResult>();
  expectTypeOf<ProcessRun['guardian']>().toEqualTypeOf<GuardStatus>();
  expectTypeOf<ProcessRun['result']>().toEqualTypeOf<Promise<ProcessResult>>();
  expectTypeOf<ProcessRun['child']>().toEqualTypeOf<ChildProcess | undefined>();
  expectTypeOf<ProcessRun['stdin']>().toEqualTypeOf<Writable | null>();
  expectTypeOf<ProcessRun['stdout']>().toEqualTypeOf<Readable | null>();
});

it('the result is data, read-only', () => {
  expectTypeOf<ProcessResult['exitCode']>().toEqualTypeOf<number | null>();
  expectTypeOf<ProcessResult['signal']>().toEqualTypeOf<NodeJS.Signals | null>();
  expectTypeOf<ProcessResult['stoppedBy']>().toEqualTypeOf<CancelReason | undefined>();
  expectTypeOf<ProcessResult['survivors']>().toEqualTypeOf<readonly LiveProcess[] | 'unknown'>();
  expectTypeOf<Readonly<ProcessResult>>().toEqualTypeOf<ProcessResult>();
});

it('a token is whatever people have', () => {
  const token = {} as CancellationToken;
  const signal = {} as AbortSignal;
  const nothing = undefined as null | undefined;
  expectTypeOf(cancellableExec).toBeCallableWith('x', { token });
  expectTypeOf(cancellableExec).toBeCallableWith('x', { token: signal });
  expectTypeOf(cancellableSpawn).toBeCallableWith('x', ['y'], { token: nothing });
});

it('spawn is called as in Node, arguments left out too', () => {
  expectTypeOf(cancellableSpawn).toBeCallableWith('x');
  const options: CancellableSpawnOptions = { cwd: '/', env: {}, stdio: 'pipe', shell: true, graceMs: undefined };
  cancellableSpawn('x', options);
  cancellableSpawn('x', ['y'] as const, options);
  expectTypeOf<CancellableExecOptions['shell']>().toEqualTypeOf<string | undefined>();
});

it('limits, background and the guardian are options of both functions, and of no adopted process', () => {
  expectTypeOf<CancellableSpawnOptions['timeoutMs']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<CancellableSpawnOptions['idleMs']>().toEqualTypeOf<number | undefined>();
  expectTypeOf<CancellableExecOptions['guardian']>().toEqualTypeOf<boolean | undefined>();
  expectTypeOf<CancellableExecOptions['background']>().toEqualTypeOf<'keep' | 'stop' | undefined>();
  expectTypeOf<ProcessResult['background']>().toEqualTypeOf<readonly LiveProcess[] | 'unknown'>();
  expectTypeOf<ProcessResult['outputEnded']>().toEqualTypeOf<boolean>();
  // @ts-expect-error its start was somebody else's
  adopt({ pid: 5 }, { guardian: true });
  // @ts-expect-error a number of milliseconds
  cancellableExec('x', { idleMs: '5' });
});

it('options that would do nothing are not offered', () => {
  expectTypeOf<CancellableSpawnOptions>().not.toHaveProperty('signal');
  expectTypeOf<CancellableSpawnOptions>().not.toHaveProperty('timeout');
  expectTypeOf<CancellableSpawnOptions>().not.toHaveProperty('killSignal');
  // @ts-expect-error a word that is none of the two
  cancellableExec('x', { background: 'leave' });
  // @ts-expect-error no signal of that name
  cancellableExec('x', { stopSignals: ['SIGNONSENSE'] });
  // @ts-expect-error no arguments in a command line
  cancellableExec('x', ['y']);
});

it('whatever has a child or a pid can be adopted', () => {
  expectTypeOf(adopt).returns.toEqualTypeOf<AdoptedProcess>();
  expectTypeOf<Awaited<AdoptedProcess>>().toEqualTypeOf<AdoptedResult>();
  expectTypeOf<AdoptedResult>().not.toHaveProperty('stdout');
  expectTypeOf(adopt).parameter(0).extract<ChildProcess>().toEqualTypeOf<ChildProcess>();
  expectTypeOf(adopt).toBeCallableWith({ pid: 1 }, { token: {} as AbortSignal, graceMs: 1 });
  expectTypeOf(adopt).toBeCallableWith({ pid: null });
  expectTypeOf(adopt).toBeCallableWith({ nodeChildProcess: {} as Promise<ChildProcess> });
  // @ts-expect-error nothing to stop
  adopt('sleep 60');
  // @ts-expect-error the output is its owner's
  adopt({ pid: 5 }, { maxBuffer: 1 });
  expectTypeOf(markedEnvironment).returns.toEqualTypeOf<Record<string, string>>();
});

it('a tool gives what its result gives', () => {
  const tool = { start: () => 1, isRunning: () => false, kill: () => 2, result: () => 'x' };
  expectTypeOf(runSubprocessTool(null, tool)).toEqualTypeOf<Promise<string>>();
  expectTypeOf(runSubprocessTool(null, { ...tool, result: () => Promise.resolve(1) })).toEqualTypeOf<Promise<number>>();
  // @ts-expect-error it cannot be killed
  void runSubprocessTool(null, { start: () => 1, isRunning: () => false, result: () => 1 });
});
