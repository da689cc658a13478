/** Writes what the agents say; what belongs to a sub-agent is set off from the rest. */
import type { Call } from './chat-model.ts';
import type { Display } from './session.ts';

export class ScreenDisplay implements Display {
  readonly #write: (text: string) => void;
  #column = 0;
  #muted = false;
  #speaker = 'main';

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  /** After a stop not one more byte of the turn reaches the screen. */
  mute(muted: boolean): void {
    this.#muted = muted;
  }

  text(delta: string, agent: string): void {
    if (this.#muted) return;
    if (this.#column > 0 && agent !== this.#speaker) this.#put('\n');
    this.#speaker = agent;
    if (this.#column === 0 && agent !== 'main') this.#put(`  [${agent}] `);
    this.#put(delta);
  }

  tool(call: Call, agent: string): void {
    if (this.#muted) return;
    this.line(`${agent === 'main' ? '' : `  [${agent}] `}→ ${call.name} ${JSON.stringify(call.input)}`);
  }

  /** A line of its own, whatever stood on the screen before. */
  line(text: string): void {
    if (this.#column > 0) this.#put('\n');
    this.#put(`${text}\n`);
  }

  #put(text: string): void {
    this.#write(text);
    const newline = text.lastIndexOf('\n');
    this.#column = newline === -1 ? this.#column + text.length : text.length - newline - 1;
  }
}
