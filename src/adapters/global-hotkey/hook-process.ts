/**
 * The process that hears the keys. It is one of its own because the hook, where it finds no display, ends its process or
 * hangs in it.
 *
 * Invariants:
 * - **H1** It ends with us, however we end: its input breaks; while it may hang in its start, the guardian sees to it.
 * - **H2** `stop()` resolves when the process is gone.
 * - **H3** It keeps our program alive only while somebody waits for it.
 * - **H4** A key that was pressed while we were stopped was for the shell.
 *
 * Prior art: Erlang's port programs.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';

import type { Clock, Releasable } from '../../core/inside.ts';
import { guardCommand } from '../internal/guardian/guardian.ts';
import { nodeModule } from '../internal/node-module.ts';
import { markerVariable } from '../internal/process/process-snapshot.ts';
import { onJobSignal } from '../internal/process/process-hooks.ts';
import { newMarker } from '../internal/process/run-marker.ts';
import { hook, type HookLine } from './hook-program.ts';
import type { HotkeyCombination } from './key-names.ts';
import { problemOfFailure, unavailable, type HotkeyUnavailable } from './unavailable.ts';

/** What is heard of the process. After `ended` nothing is. */
export interface HookEvents {
  ready(): void;
  down(): void;
  /** It is gone, or was given up; `problem` says why if it never was ready. */
  ended(problem: HotkeyUnavailable | undefined): void;
}

/** How it is started. */
export interface HookOptions {
  readonly clock: Clock;
  readonly combination: HotkeyCombination;
  readonly places: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A process that hears keys. */
export interface HookProcess {
  /** Somebody waits until it has started: until then it keeps our program alive. */
  awaitStart(): void;
  /** Ends it; resolves when it is gone. */
  stop(): Promise<void>;
}

/** A start that takes longer hangs. */
const startMs = 10_000;
/** How long it has for leaving by itself. */
const graceMs = 500;

function programOf({ combination, places }: HookOptions): string {
  return `(${hook.toString()})({
    stdin: process.stdin, now: () => performance.now(), wallClock: () => Date.now(),
    // An orderly exit would wait for the display, which may not answer any more.
    exit: () => process.kill(process.pid, 'SIGKILL'),
    load: (from) => require('node:module').createRequire(from)('uiohook-napi'),
    say: (line) => process.stdout.write(JSON.stringify(line) + '\\n'),
  }, ${JSON.stringify(combination)}, ${JSON.stringify(places)})`;
}

/** Starts it. Never throws: what fails is an event. */
export function startHook(options: HookOptions, events: HookEvents): HookProcess {
  const { clock } = options;
  const marker = newMarker();
  const start: Releasable[] = process.platform === 'linux' ? [guardCommand(marker)] : []; // H1
  let child: ChildProcess;
  try {
    child = nodeModule('node:child_process').spawn(
      process.execPath,
      ['--input-type=commonjs', '--eval', programOf(options)],
      {
        // Out of our group: Ctrl+C in the terminal is for us. On Windows there are no groups, and a window would open.
        detached: process.platform !== 'win32',
        windowsHide: true,
        stdio: ['pipe', 'pipe', 'pipe'],
        env: { ...options.env, NODE_OPTIONS: undefined, ELECTRON_RUN_AS_NODE: '1', [markerVariable]: marker },
      },
    );
  } catch (error) {
    // Node throws for some failures of the system call, such as E2BIG, and emits the others.
    for (const one of start) one.release();
    return neverStarted(error, events);
  }
  // Where there are no descriptors left, Node gives a child without pipes, and tells of the failure later.
  const { stdin, stdout, stderr } = child as Partial<ChildProcess>;
  if (!stdin || !stdout || !stderr) {
    for (const one of start) one.release();
    return laterFailed(child, events);
  }
  unref(child);
  // What was pressed while we were stopped is read together with the signal that has us go on.
  let continuedAt = -Infinity;
  const continued = onJobSignal('SIGCONT', () => (continuedAt = Date.now())); // H4
  start.push(clock.setTimer(() => kill(child), startMs, { ref: false }));
  const started = (): void => {
    for (const one of start.splice(0)) one.release();
  };

  let isReady = false;
  let isOver = false;
  let errors = '';
  let rest = '';
  const end = (problem: HotkeyUnavailable | undefined): void => {
    if (isOver) return;
    isOver = true;
    started();
    continued.release();
    events.ended(problem);
  };
  const hear = (line: HookLine): void => {
    if (isOver) return;
    if (line.type === 'failed' || line.type === 'no-package') {
      kill(child);
      end(line.type === 'failed' ? problemOfFailure(line.message) : unavailable('no-package'));
    } else if (line.type === 'ready') {
      isReady = true;
      started();
      unref(child);
      events.ready();
    } else {
      const { at } = line;
      // In the turn of the loop that reads it, the signal is told last.
      setImmediate(() => {
        if (!isOver && at >= continuedAt) events.down();
      });
    }
  };

  stdin.on('error', () => undefined); // it is gone, and its exit tells
  stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-2000);
  });
  stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const said = parse(line);
      if (said !== undefined) hear(said);
    }
  });
  const gone = new Promise<void>((resolve) => {
    const close = (why: string): void => {
      resolve();
      end(isReady ? undefined : problemOfFailure(why));
    };
    child.once('error', (error) => {
      close(error.message);
    });
    child.once('close', (code, signal) => {
      close(errors === '' ? `its process ended with ${signal ?? `code ${String(code)}`}` : errors);
    });
  });

  return {
    awaitStart: () => {
      if (!isReady && !isOver) child.ref();
    },
    stop: async () => {
      isOver = true;
      continued.release();
      stdin.end();
      const force = clock.setTimer(() => kill(child), graceMs, { ref: true });
      child.ref(); // H2: somebody waits
      await gone;
      force.release();
      started();
    },
  };
}

/** It is an event, and one that comes when somebody can hear it. */
function neverStarted(error: unknown, events: HookEvents): HookProcess {
  let isStopped = false;
  queueMicrotask(() => {
    if (!isStopped) events.ended(problemOfFailure(error instanceof Error ? error.message : String(error)));
  });
  return {
    awaitStart: () => undefined, // it has failed, and says so in a moment
    stop: () => {
      isStopped = true;
      return Promise.resolve();
    },
  };
}

/** The same for a failure that Node tells in the next tick. */
function laterFailed(child: ChildProcess, events: HookEvents): HookProcess {
  const failed = new Promise<Error>((resolve) => child.once('error', resolve));
  let isStopped = false;
  void failed.then((error) => {
    if (!isStopped) events.ended(problemOfFailure(error.message));
  });
  return {
    awaitStart: () => undefined,
    stop: () => {
      isStopped = true;
      return Promise.resolve();
    },
  };
}

/** H3. The pipes are sockets, which the type does not say. */
function unref(child: ChildProcess): void {
  child.unref();
  for (const pipe of [child.stdin, child.stdout, child.stderr]) (pipe as { unref?(): void } | null)?.unref?.();
}

function kill(child: ChildProcess): void {
  child.kill('SIGKILL');
}

/** Whatever else a native module prints is no line of ours. */
function parse(line: string): HookLine | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && 'type' in value ? (value as HookLine) : undefined;
  } catch {
    return undefined;
  }
}
