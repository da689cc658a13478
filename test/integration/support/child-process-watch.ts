/**
 * Sees processes by a way of its own: `ps`, and command lines that nobody else has.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';

/** A number of seconds that marks the processes of one test. */
export function uniqueSleep(): string {
  return `${String(1000 + Math.floor(Math.random() * 9000))}.${String(Math.floor(Math.random() * 1e9))}`;
}

/** Who is alive – a zombie is not – and has `text` in its command line. */
export function processesNamed(text: string): { pid: number; command: string }[] {
  return execFileSync('ps', ['-axww', '-o', 'pid=,stat=,command='], { encoding: 'utf8' })
    .split('\n')
    .flatMap((line) => {
      const [, pid, stat, command = ''] = /^\s*(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
      const isAlive = stat?.startsWith('Z') === false && command.includes(text);
      return isAlive ? [{ pid: Number(pid), command }] : [];
    });
}

/** Ends what a test left behind; who has ended meanwhile is fine. */
export function killAll(text: string): void {
  for (const { pid } of processesNamed(text)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ESRCH') throw error;
    }
  }
}

/** How many listeners an emitter has, of whatever event. */
export function listenersOf(emitter: NodeJS.EventEmitter): number {
  return emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);
}
