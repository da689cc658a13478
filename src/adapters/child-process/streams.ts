/**
 * What becomes of a child's pipes when its run is over.
 * In this door because only it owns them: Node would wait for their end as long as anybody, anywhere, holds one.
 * Prior art: execa's stream clean-up, Go `exec.Cmd.WaitDelay`.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process';
import type { Stream } from 'node:stream';

/** A pipe that breaks because the other side died is no news: the exit tells. Writers hear of it in their own callback. */
export function ignoreErrors(stream: Stream | null): void {
  stream?.on('error', ignore);
  stream?.once('close', () => stream.off('error', ignore));
}

/**
 * Lets go of the pipes.
 *
 * @param child Whose.
 * @param which `all`, or only the `input`: then somebody in the background may still write, and would die of a broken
 * pipe, so the outputs are read on – but hold nothing alive.
 */
export function closeStreams(child: Pick<ChildProcess, 'stdin' | 'stdout' | 'stderr'>, which: 'all' | 'input'): void {
  child.stdin?.destroy();
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null || stream.destroyed) continue;
    if (which === 'all') {
      stream.destroy();
      continue;
    }
    // Whoever else reads it sets the pace.
    if (stream.listenerCount('data') === 0 && stream.listenerCount('readable') === 0) stream.resume();
    (stream as typeof stream & { unref?(): void }).unref?.();
  }
}

function ignore(): void {
  return;
}
