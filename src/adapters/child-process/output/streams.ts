/**
 * What becomes of a child's pipes when its run is over. Prior art: execa's stream clean-up, Go `exec.Cmd.WaitDelay`.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import type { EventEmitter } from 'node:events';
import type { Readable, Stream } from 'node:stream';

/** A pipe that breaks because the other side died is no news: the exit tells. Writers hear of it in their own callback. */
export function ignoreErrors(stream: Stream | null | undefined): void {
  stream?.on('error', ignore);
  stream?.once('close', () => stream.off('error', ignore));
}

/** The pipes of a child. Where a start failed for want of descriptors, Node leaves them out altogether. */
export interface Pipes {
  readonly stdin: ChildProcess['stdin'] | undefined;
  readonly stdout: ChildProcess['stdout'] | undefined;
  readonly stderr: ChildProcess['stderr'] | undefined;
}

/** What of a child is used: Node's own, or what stands for somebody else's. */
export interface SupervisedChild
  extends Pick<EventEmitter, 'on' | 'off'>, Pick<ChildProcess, 'pid' | 'spawnfile' | 'kill' | 'unref'>, Pipes {}

/**
 * Closes the pipes.
 *
 * @param child Whose.
 * @param which `all`, or only the `input`: then somebody in the background may still write, and would die of a broken
 * pipe, so the outputs are read on – but hold nothing alive. An output that has come to its end is left to its reader.
 * @param hasEnded Whether all of an output has come.
 */
export function closeStreams(
  child: Pipes,
  which: 'all' | 'input',
  hasEnded: (stream: Readable) => boolean = () => false,
): void {
  child.stdin?.destroy();
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null || stream === undefined || stream.destroyed) continue;
    const isRead = stream.listenerCount('data') > 0 || stream.listenerCount('readable') > 0 || stream.isPaused();
    if (which === 'all' && !(isRead && hasEnded(stream))) {
      stream.destroy();
      continue;
    }
    // Whoever else reads it sets the pace.
    if (!isRead) stream.resume();
    (stream as typeof stream & { unref?(): void }).unref?.();
  }
}

function ignore(): void {
  return;
}
