/**
 * The process of one blocking call, from its start to the end of everything it has started.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';

import { type CancelReason, clockOf, createCancelledError, type Releasable, type Token } from '../../core/inside.ts';
import { guardCommand, type GuardedRun } from '../internal/guardian/guardian.ts';
import { nodeModule } from '../internal/node-module.ts';
import { onProcessEnd } from '../internal/process/process-hooks.ts';
import { markerVariable } from '../internal/process/process-snapshot.ts';
import { lineageOf, newMarker } from '../internal/process/run-marker.ts';
import { killFamily, survivorsIn, verdictOf } from '../internal/process/stoppable-process.ts';
import type { StoppableFamily } from '../internal/process/process-table.ts';
import { hostFamily, hostProcessTable } from '../internal/process/tree-host.ts';
import { StopLadder, rungsOf } from '../internal/process/stop-ladder.ts';

/** One checked call. */
export interface BlockingCall {
  readonly token: Token;
  readonly url: string;
  readonly args: readonly unknown[];
  readonly exportName: string;
  readonly graceMs: number;
  /** Whether its process ends even where this one is killed. */
  readonly guardian?: boolean | undefined;
}

/** Under which key the answer comes. */
const answerKey = 'desist.answer';

/**
 * What the process runs; CommonJS, since threads that the module starts would inherit an option that says otherwise. The
 * channel is held open until the other side has read the answer and closes it: not every runtime writes all that was sent
 * before it ends. What cannot be copied is an error in words.
 */
const program = `
process.once('message', async ({ url, exportName, args }) => {
  let answer;
  try {
    const module = await import(url);
    if (typeof module[exportName] !== 'function') throw new TypeError(url + ' exports no function ' + exportName);
    answer = { value: await module[exportName](...args) };
  } catch (error) {
    answer = error instanceof Error ? { error, told: { name: error.name, message: error.message } } : { error };
  }
  process.once('disconnect', () => undefined);
  try {
    process.send({ '${answerKey}': answer });
  } catch (error) {
    const refused = new TypeError('The answer cannot be copied: ' + String(error));
    process.send({ '${answerKey}': { error: refused } });
  }
});`;

/** How long a process may take to write its last output and end, once it has answered. */
const lastWordsMs = 100;
/** How long the last message may take after the exit where somebody else holds the channel. */
const lastMessageMs = 1000;

type Answer = { readonly value: unknown } | Failure;

interface Failure {
  readonly error: unknown;
  /** What its copy may have lost: of a DOMException both, of other classes the name. */
  readonly told?: { readonly name: string; readonly message: string };
}

/** The error as it was thrown, as far as it can be copied. */
function thrownBy({ error, told }: Failure): unknown {
  if (told === undefined) return error;
  const copy = error instanceof Error ? error : new Error(told.message);
  for (const field of ['name', 'message'] as const) {
    if (copy[field] === told[field]) continue;
    Object.defineProperty(copy, field, { value: told[field], configurable: true, writable: true });
  }
  return copy;
}

/** Loaders are needed there too; what says "run this text" is not. */
function inheritedArgs(): string[] {
  const evaluates = (arg: string): boolean => /^(-e|--eval|-p|--print|--inspect.*|--input-type.*)$/.test(arg);
  return process.execArgv.some(evaluates) ? [] : process.execArgv;
}

/** Deno takes Node's option too, and then knows no `import()` in the text. */
function programArgs(): string[] {
  return 'Deno' in globalThis ? ['eval', program] : [...inheritedArgs(), '--eval', program];
}

function start(marker: string): ChildProcess {
  return nodeModule('node:child_process').spawn(process.execPath, programArgs(), {
    detached: process.platform !== 'win32',
    windowsHide: true,
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [markerVariable]: lineageOf(marker, process.env) },
  });
}

/** Runs the call; settles when its process and everybody it has started is gone. */
export function runInProcess(call: BlockingCall): Promise<unknown> {
  return new Promise((resolve, reject) => {
    call.token.throwIfCancelled();
    const marker = newMarker();
    // Before the start: nothing of ours runs between it and what would guard it after that.
    const guarded = call.guardian === true && process.platform === 'linux' ? guardCommand(marker) : undefined;
    let child: ChildProcess;
    try {
      child = start(marker);
    } catch (error) {
      guarded?.release();
      throw error;
    }
    if (child.pid === undefined) {
      guarded?.release();
      child.once('error', reject);
      return;
    }
    tellOf(child.pid, guarded);
    const run = new BlockingRun(child, hostFamily(child.pid, marker), call, guarded);
    run.end.then(resolve, reject);
  });
}

/** A number alone may be somebody else's later. */
function tellOf(pid: number, guarded: GuardedRun | undefined): void {
  const row = guarded === undefined ? undefined : hostProcessTable()?.find(pid);
  guarded?.knowBy({ pid, startTime: row === 'unreadable' ? undefined : row?.startTime });
}

class BlockingRun {
  readonly end: Promise<unknown>;
  readonly #child: ChildProcess;
  readonly #family: StoppableFamily;
  readonly #call: BlockingCall;
  readonly #held: Releasable[];
  #settle: ((answer: Answer) => void) | undefined;
  #hasExited = false;
  #answer: Answer | undefined;
  /** What the end is called if no answer comes. */
  #without: Answer | undefined;
  #reason: CancelReason | undefined;
  #ladder: StopLadder | undefined;
  #drain: Releasable | undefined;

  constructor(child: ChildProcess, family: StoppableFamily, call: BlockingCall, guarded?: Releasable) {
    this.#child = child;
    this.#family = family;
    this.#call = call;
    this.end = new Promise((resolve, reject) => {
      this.#settle = (answer) => {
        // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what the function threw, whatever it is
        if ('error' in answer) reject(thrownBy(answer));
        else resolve(answer.value);
      };
    });
    child.on('message', this.#onMessage);
    child.on('exit', this.#onExit);
    child.on('disconnect', this.#onDisconnect);
    child.on('error', this.#onError);
    const { token, url, exportName, args } = call;
    const cancelled = token.onCancelled((reason) => this.#stop(reason));
    const killed = token.onKilled(() => this.#ladder?.force());
    this.#held = [
      onProcessEnd(`blocking call ${String(child.pid)}`, () => killFamily(family), 'children'),
      { release: () => void cancelled.unregister() },
      { release: () => void killed.unregister() },
      ...(guarded === undefined ? [] : [guarded]),
    ];
    try {
      child.send({ url, exportName, args });
    } catch (error) {
      const refused = new TypeError(`args must be what can be copied: ${(error as Error).message}`, { cause: error });
      this.#end({ error: refused }, 0);
    }
  }

  readonly #onMessage = (message: unknown): void => {
    // The module may say things of its own over the channel.
    const answer = (message as { readonly [answerKey]?: Answer } | null)?.[answerKey];
    if (answer === undefined) return;
    // After a stop an error is its consequence: the signals went to everybody the call was waiting for.
    const isConsequence = this.#reason !== undefined && 'error' in answer;
    if (isConsequence) return;
    if (this.#child.connected) this.#child.disconnect(); // it waits for this
    this.#end(answer, lastWordsMs);
  };

  readonly #onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
    this.#hasExited = true;
    this.#family.leaderReaped();
    if (this.#ladder !== undefined) {
      this.#ladder.check();
      return;
    }
    const how = signal ?? `exit code ${String(code)}`;
    this.#without = { error: new Error(`The process of the call ended without an answer: ${how}`) };
    // The last message may come after the exit: only a closed channel says that there is none.
    if (!this.#child.connected) this.#end(this.#without, 0);
    else this.#drain ??= clockOf(this.#call.token).setTimer(() => this.#giveUpChannel(), lastMessageMs, { ref: true });
  };

  readonly #onDisconnect = (): void => {
    if (this.#without !== undefined) this.#end(this.#without, 0);
  };

  /** A turn of the loop later: after a stall the timer comes before what has long been there. */
  #giveUpChannel(): void {
    const turn = setImmediate(() => this.#onDisconnect());
    this.#drain = { release: () => clearImmediate(turn) };
  }

  /** A message that could not be sent: the process has ended, and its exit tells. */
  readonly #onError = (): void => undefined;

  /** There is an answer: whatever is left running has nobody to answer to, once the last output is out. */
  #end(answer: Answer, afterMs: number): void {
    this.#answer ??= answer;
    this.#drain?.release();
    this.#drain = undefined;
    if (afterMs === 0 || this.#hasExited) this.#climb(0);
    else this.#drain = clockOf(this.#call.token).setTimer(() => this.#climb(0), afterMs, { ref: true });
  }

  #stop(reason: CancelReason): void {
    if (this.#ladder !== undefined || this.#answer !== undefined) return;
    this.#reason = reason;
    this.#climb(this.#call.graceMs);
  }

  #climb(graceMs: number): void {
    if (this.#ladder !== undefined) return;
    const target = {
      signal: (signal: NodeJS.Signals) => {
        const reach = this.#family.signal(signal);
        if (reach === 'nobody' && !this.#hasExited) this.#child.kill(signal);
        return reach !== 'some';
      },
      isAnyoneAlive: () => !this.#hasExited || this.#family.hasKnownAlive(),
      look: async () => verdictOf(await this.#family.look()),
    };
    const rungs = rungsOf(graceMs === 0 ? ['SIGKILL'] : ['SIGTERM', 'SIGKILL'], graceMs);
    this.#ladder = new StopLadder(target, rungs, graceMs, clockOf(this.#call.token));
    void this.#ladder.done.then((isEmpty) => this.#finish(isEmpty));
  }

  async #finish(isEmpty: boolean): Promise<void> {
    const survivors = isEmpty ? [] : survivorsIn(this.#family, await this.#family.look('report'));
    const settle = this.#settle;
    this.#drain?.release();
    for (const one of this.#held) one.release();
    this.#child.off('message', this.#onMessage);
    this.#child.off('exit', this.#onExit);
    this.#child.off('disconnect', this.#onDisconnect);
    // The error listener stays: with it goes nobody, and without it a late error of the channel would crash us.
    if (!this.#hasExited && !isEmpty) this.#child.unref(); // a survivor does not keep our own process alive
    if (this.#child.connected) this.#child.disconnect();
    if (this.#answer !== undefined) {
      settle?.(this.#answer);
      return;
    }
    const names =
      survivors === 'unknown'
        ? ['processes that could not be looked up']
        : survivors.map(({ pid, command }) => `${command} (${String(pid)})`);
    const abandoned = names.length === 0 ? undefined : { name: names.join(', ') };
    if (this.#reason !== undefined) settle?.({ error: createCancelledError(this.#reason, { abandoned }) });
  }
}
