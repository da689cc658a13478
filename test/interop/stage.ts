/** What the tests of framework-owned loops share: a scripted model, an agent to stop, and a tool that is deaf. */
import { onTestFinished } from 'vitest';
import { tellAssertions } from '../core/interrupt/kit.ts';
import { InterruptController, type InterruptControllerOptions, type InterruptEvent } from '../../src/index.ts';
import { deferred, type Deferred } from '../../src/testing/fakes.ts';
import { startModelServer, type ModelScript, type ModelServer } from '../../src/testing/model-server/index.ts';

export interface FrameworkStage {
  readonly server: ModelServer;
  /** For clients of Chat Completions. */
  readonly baseURL: string;
  readonly agent: InterruptController;
  readonly events: InterruptEvent[];
}

/** A server that answers with the script, and an agent; both gone after the test. */
export async function frameworkStage(
  script: ModelScript,
  options: InterruptControllerOptions = {},
): Promise<FrameworkStage> {
  const server = await startModelServer({ script });
  const agent = new InterruptController({ name: 'main', ...options });
  const events: InterruptEvent[] = [];
  agent.onEvent((event) => events.push(event));
  tellAssertions(agent);
  onTestFinished(async () => {
    await agent.close();
    await server.close();
  });
  return { server, baseURL: `${server.url}/v1`, agent, events };
}

/** A tool that never looks at its signal: it ends when the test lets it. */
export interface DeafWork {
  readonly started: Promise<void>;
  readonly calls: () => number;
  run(this: void): Promise<string>;
  readonly end: Deferred<string>;
}

export function deafWork(): DeafWork {
  const started = deferred();
  const end = deferred<string>();
  let calls = 0;
  return {
    started: started.promise,
    calls: () => calls,
    end,
    run() {
      calls++;
      started.resolve();
      return end.promise;
    },
  };
}

/** Whether a promise has settled within so many milliseconds of real time. */
export async function settlesWithin(promise: PromiseLike<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(resolve, ms, false);
  });
  const settled = Promise.resolve(promise).then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds until a promise settles, from now. */
export async function msUntil(promise: PromiseLike<unknown>): Promise<number> {
  const start = performance.now();
  await Promise.resolve(promise).then(
    () => undefined,
    () => undefined,
  );
  return performance.now() - start;
}

interface SentPart {
  readonly text?: unknown;
  readonly content?: unknown;
  readonly functionResponse?: unknown;
}

/** The texts that a request sent to the model, one per message, `role: text`. */
export function sentTexts(server: ModelServer, request: number): string[] {
  const { messages, contents } = (server.requests[request - 1]?.body ?? {}) as {
    messages?: readonly { role: string; content: unknown }[];
    contents?: readonly { role: string; parts: unknown }[];
  };
  // Gemini's words for it.
  const turns = contents?.map(({ role, parts }) => ({ role: role === 'model' ? 'assistant' : role, content: parts }));
  return (messages ?? turns ?? []).map(({ role, content }) => {
    const texts = Array.isArray(content)
      ? (content as readonly SentPart[]).map(({ text, content: result, functionResponse }) =>
          functionResponse === undefined ? (text ?? result) : JSON.stringify(functionResponse),
        )
      : [content];
    return `${role}: ${texts.join('')}`;
  });
}
