/** What a person sees while the model thinks: a row below the output, drawn anew ten times a second. */
import type { OutputGate } from 'desist/terminal';

export interface Progress extends Disposable {
  /** Takes the row away, also twice. */
  readonly release: () => void;
}

const frames = '⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏';

export function showProgress(output: OutputGate): Progress {
  const startedAt = performance.now();
  const footer = output.openFooter(() => {
    const ms = performance.now() - startedAt;
    const frame = frames[Math.floor(ms / 100) % frames.length] ?? '';
    return { rows: [`${frame} Thinking… ${Math.floor(ms / 1000)} s · ESC cancels`] };
  });
  const timer = setInterval(() => footer.update(), 100);
  const release = (): void => {
    clearInterval(timer);
    footer.release();
  };
  return { release, [Symbol.dispose]: release };
}
