import { EventEmitter } from 'node:events';

/** A terminal's input without a terminal: remembers its mode and what was put back in front of it. */
export class FakeTty extends EventEmitter {
  isTTY = true;
  isRaw = false;
  isReffed = true;
  isFlowing = false;
  readonly modes: boolean[] = [];
  readonly unshifted: string[] = [];
  broken = false;

  setRawMode(raw: boolean): this {
    if (this.broken) throw new Error('setRawMode EIO');
    this.isRaw = raw;
    this.modes.push(raw);
    return this;
  }
  resume(): this {
    this.isFlowing = true;
    return this;
  }
  pause(): this {
    if (this.isFlowing) {
      this.isFlowing = false;
      this.emit('pause');
    }
    return this;
  }
  ref(): this {
    this.isReffed = true;
    return this;
  }
  unref(): this {
    this.isReffed = false;
    return this;
  }
  unshift(text: string): void {
    this.unshifted.push(text);
  }

  /** Bytes arrive; nobody gets them while nobody reads. */
  type(text: string): void {
    if (this.isFlowing) this.emit('data', Buffer.from(text, 'utf8'));
  }

  attached(): number {
    return this.eventNames().reduce((sum, name) => sum + this.listenerCount(name), 0);
  }
}
