import { EventEmitter } from 'node:events';

import type { TerminalOutput } from '../../../../src/adapters/terminal/output/output-gate.ts';

/** A terminal's output without a terminal: remembers what was written. */
export class FakeScreen extends EventEmitter implements TerminalOutput {
  isTTY = true;
  columns = 20;
  rows = 10;
  /** What `write` answers: `false` asks to be waited for. */
  goesOn = true;
  readonly written: (string | Uint8Array)[] = [];

  constructor(size: { readonly columns?: number; readonly rows?: number; readonly isTTY?: boolean } = {}) {
    super();
    Object.assign(this, size);
  }

  write(chunk: string | Uint8Array): boolean {
    this.written.push(chunk);
    return this.goesOn;
  }

  text(): string {
    return this.written
      .map((chunk) => (typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')))
      .join('');
  }

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    this.emit('resize');
  }

  attached(): number {
    return this.eventNames().reduce((sum, name) => sum + this.listenerCount(name), 0);
  }
}
