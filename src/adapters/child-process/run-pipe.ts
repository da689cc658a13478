/**
 * What a command and all that it starts inherit, besides their standard streams: a pipe that nobody writes to, and a file
 * that is in no folder. While somebody holds the other end of the pipe, somebody is left; who it is can be read from the
 * process table, by the file's name. So daemons are found that have cleared or overwritten the environment by which the
 * others are.
 *
 * The file is opened before the command starts, because its name has to be known: a command may have ended before the name
 * of its end of the pipe could be read from it.
 *
 * Prior art: the lock file descriptors of `flock(1)`; s6's notification pipes.
 *
 * @module
 */
import type { ChildProcess, StdioOptions } from 'node:child_process';
import { closeSync, openSync, unlinkSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';

import { hostProcessTable } from '../internal/process/tree-host.ts';
import type { RunPipe } from '../internal/process/process-table.ts';

type StdioList = Extract<StdioOptions, readonly unknown[]>;

/** A file that is open and in no folder. */
interface RunFile {
  readonly descriptor: number;
  /** As `/proc/<pid>/fd` shows it, of whoever has it open. */
  readonly name: string;
}

/** @returns `undefined` where that cannot be done, or nobody could be found by it. */
function openRunFile(marker: string, folders: readonly string[]): RunFile | undefined {
  if (process.platform !== 'linux' && process.platform !== 'android') return undefined;
  for (const folder of folders) {
    const path = `${folder}/desist-${marker}`;
    let descriptor: number;
    try {
      descriptor = openSync(path, 'wx', 0o600);
    } catch {
      continue; // not there, full, or not to be written to; or there is no descriptor left: then nothing can be started
    }
    unlinkSync(path);
    const name = hostProcessTable()?.openFileOf(process.pid, descriptor);
    if (name !== undefined) return { descriptor, name };
    closeSync(descriptor);
  }
  return undefined;
}

/** The pipe and the file of one run. */
export class OwnRunPipe implements RunPipe {
  /** For the start: what the caller has asked for, and ours behind it. */
  readonly stdio: StdioList;
  readonly #pipeAt: number;
  #runFile: RunFile | undefined;
  #file: string | undefined;
  #socket: Socket | undefined;
  #isHeld = false;

  /**
   * Opens what is inherited; to be followed by {@link OwnRunPipe.started}, or by `release()` where nothing was started.
   *
   * @param stdio What the caller has asked for.
   * @param marker Names the run.
   * @param folders Where a file can be made: the first that takes it.
   */
  constructor(stdio: StdioOptions, marker: string, folders: readonly string[] = ['/dev/shm', tmpdir()]) {
    const given = Array.isArray(stdio) ? [...stdio] : [stdio, stdio, stdio];
    while (given.length < 3) given.push('pipe'); // Node's own default
    this.#pipeAt = given.length;
    this.#runFile = openRunFile(marker, folders);
    this.#file = this.#runFile?.name;
    this.stdio = [...given, 'pipe', ...(this.#runFile === undefined ? [] : [this.#runFile.descriptor])];
  }

  get file(): string | undefined {
    return this.#file;
  }

  /**
   * Takes our end of the pipe.
   *
   * @param child Just started, with `stdio`.
   * @param onFree Told when nobody holds the other end any more.
   */
  started(child: ChildProcess, onFree: () => void): void {
    this.#closeFile();
    // Where a start failed for want of descriptors, there is no such list.
    const stdio = child.stdio as readonly unknown[] | undefined;
    this.#socket = (stdio?.[this.#pipeAt] ?? undefined) as Socket | undefined;
    this.#isHeld = this.#socket !== undefined && child.pid !== undefined;
    if (this.#socket === undefined) return;
    // Then its end of the pipe has to do, which the command can tell as long as it is there.
    if (child.pid !== undefined) this.#file ??= hostProcessTable()?.openFileOf(child.pid, this.#pipeAt);
    this.#socket.on('error', () => undefined);
    this.#socket.once('close', () => {
      this.#isHeld = false;
      onFree();
    });
    this.#socket.resume();
    this.#socket.unref(); // the command keeps the program alive, not its pipe
  }

  isHeld(): boolean {
    return this.#isHeld;
  }

  /** Closes our ends; whoever holds the others takes no notice. */
  release(): void {
    this.#closeFile();
    this.#socket?.destroy();
  }

  #closeFile(): void {
    if (this.#runFile !== undefined) closeSync(this.#runFile.descriptor);
    this.#runFile = undefined;
  }
}
