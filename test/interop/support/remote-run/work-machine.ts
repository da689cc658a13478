/** A machine that works on what clients ask of it, and counts what it is told: the judge of every protocol's test. */
export interface Job {
  readonly id: string;
  state: 'running' | 'completed' | 'cancelled';
  /** How often a client asked to cancel it, and how often when it had ended. */
  cancels: number;
  cancelsAfterEnd: number;
  /** Fires with every change, for whoever streams the job. */
  readonly changed: Set<() => void>;
}

export class WorkMachine {
  /** A deaf machine hears a cancel, and neither stops nor answers. */
  isDeaf = false;
  readonly jobs = new Map<string, Job>();
  #count = 0;
  #naming: Promise<void> | undefined;
  #name: () => void = () => undefined;

  /** From here on no job gets its name, until the function that comes back is called. */
  holdNames(): () => void {
    this.#naming = new Promise((resolve) => {
      this.#name = resolve;
    });
    return () => {
      this.#naming = undefined;
      this.#name();
    };
  }

  async create(id?: string): Promise<Job> {
    await this.#naming;
    const name = id ?? `00000000-0000-4000-8000-${String(++this.#count).padStart(12, '0')}`;
    const job: Job = { id: name, state: 'running', cancels: 0, cancelsAfterEnd: 0, changed: new Set() };
    this.jobs.set(name, job);
    return job;
  }

  end(id: string, state: 'completed' | 'cancelled'): void {
    const job = this.jobs.get(id);
    if (job?.state !== 'running') return;
    job.state = state;
    for (const tell of [...job.changed]) tell();
  }

  /** What a client asked for: `done`, `refused`, or nothing at all. */
  cancel(id: string): 'done' | 'refused' | 'deaf' {
    const job = this.jobs.get(id);
    if (job === undefined) return 'refused';
    job.cancels++;
    if (job.state !== 'running') job.cancelsAfterEnd++;
    if (job.state !== 'running') return 'refused';
    if (this.isDeaf) return 'deaf';
    this.end(id, 'cancelled');
    return 'done';
  }

  /** Resolves when the job has ended. */
  ended(job: Job): Promise<void> {
    if (job.state !== 'running') return Promise.resolve();
    return new Promise((resolve) => {
      const tell = (): void => {
        job.changed.delete(tell);
        resolve();
      };
      job.changed.add(tell);
    });
  }

  /** Ends all, so that nothing waits when a test is over. */
  release(): void {
    this.#name();
    for (const { id } of this.jobs.values()) this.end(id, 'completed');
  }

  get only(): Job {
    const [job] = this.jobs.values();
    if (job === undefined) throw new Error('no job was created');
    return job;
  }
}
