/** Whether what the commands started is still there. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';

/** A process that has ended but that nobody has waited for still has a number; it does nothing any more. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    // Where there is no /proc, having a number is being alive.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && process.platform !== 'linux';
  }
}

/** The numbers that the commands wrote down, one a line. */
export async function readPids(path: string): Promise<number[]> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').filter(Boolean).map(Number);
}
