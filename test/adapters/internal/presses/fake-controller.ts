import type { TerminalController } from '../../../../src/adapters/internal/presses/press-target.ts';

/** An agent reduced to what the keyboard sees of it. */
export class FakeController implements TerminalController {
  #state: TerminalController['state'] = 'idle';
  readonly calls: string[] = [];
  readonly listeners = new Set<() => void>();

  get state(): TerminalController['state'] {
    return this.#state;
  }
  become(state: TerminalController['state']): void {
    this.#state = state;
    for (const listener of this.listeners) listener();
  }
  cancel(reason?: { readonly kind: 'user' }): void {
    this.calls.push(`cancel ${String(reason?.kind)}`);
    this.become('cancelling');
  }
  kill(reason?: { readonly kind: 'user' }): void {
    this.calls.push(`kill ${String(reason?.kind)}`);
    this.become('killing');
  }
  onEvent(listener: () => void): { unregister(): boolean } {
    this.listeners.add(listener);
    return { unregister: () => this.listeners.delete(listener) };
  }
}
