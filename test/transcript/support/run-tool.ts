import type { ToolContext } from '../../../src/index.ts';

/** One completes, one is deaf, one waits for a person when Stop comes; whatever comes after them is never reached. */
export async function runTool(name: string, { partial, ask }: ToolContext, stop: () => void): Promise<unknown> {
  if (name === 'done') return { files: 2 };
  if (name === 'running') {
    partial('3 of 9 lines');
    return new Promise(() => undefined);
  }
  return ask(() => {
    stop();
  });
}
