/**
 * Runs one program and says which laws it broke, with what nobody handled meanwhile.
 *
 * @module
 */
import { MachineWorld } from './world.ts';
import type { Program } from './program.ts';

/** Starting something after the body has ended is a misuse that programs make on purpose. */
function isMisuse(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes('was started after the body of turn');
}

/** Hears of what reaches nobody, while it is open. */
export class Unhandled {
  readonly #heard: unknown[] = [];
  readonly #report = console.error;
  readonly #hear = (error: unknown): void => {
    this.#heard.push(error);
  };

  open(): void {
    process.on('unhandledRejection', this.#hear);
    // Where callback errors go by default.
    console.error = (...args: unknown[]): void => {
      if (!isMisuse(args[1])) this.#hear(args);
    };
  }

  close(): void {
    process.off('unhandledRejection', this.#hear);
    console.error = this.#report;
  }

  take(): readonly string[] {
    return this.#heard.splice(0).map((error) => `nobody handled ${String(error)}`);
  }
}

/** The laws that one program broke. */
export async function lawsBroken(program: Program, unhandled: Unhandled): Promise<readonly string[]> {
  const world = new MachineWorld(program);
  await world.run();
  // A rejection is unhandled from the next turn of the event loop on.
  await new Promise((resolve) => setImmediate(resolve));
  return [...world.model.broken, ...unhandled.take()];
}
