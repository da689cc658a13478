/**
 * How long the event loop stands still, and how much of that is this thread's own doing.
 *
 * @module
 */
/** The longest gap between two turns of the event loop. */
export class PauseWatch {
  pauseMs = 0;
  pauseCpuMs = 0;
  #timer: NodeJS.Timeout;
  #at = performance.now();
  #cpu = cpuMs();

  constructor() {
    this.#timer = setTimeout(() => this.#tick(), tickMs);
  }

  #tick(): void {
    this.#look();
    this.#timer = setTimeout(() => this.#tick(), tickMs);
  }

  #look(): void {
    const [now, cpu] = [performance.now(), cpuMs()];
    this.pauseMs = Math.max(this.pauseMs, now - this.#at - tickMs);
    this.pauseCpuMs = Math.max(this.pauseCpuMs, cpu - this.#cpu);
    [this.#at, this.#cpu] = [now, cpu];
  }

  stop(): void {
    this.#look();
    clearTimeout(this.#timer);
  }
}

const tickMs = 2;

/** Of this thread where Node tells it (from 23.9 on), of the process elsewhere. */
function cpuMs(): number {
  const host = process as { threadCpuUsage?: () => NodeJS.CpuUsage };
  const { user, system } = host.threadCpuUsage?.() ?? process.cpuUsage();
  return (user + system) / 1000;
}
