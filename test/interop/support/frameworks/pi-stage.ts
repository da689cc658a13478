/** What the tests of `desist/pi` share: a scripted model, an agent of pi, and its prompts as turns. */
import type { Agent, AgentOptions } from '@mariozechner/pi-agent-core';
import { underTurn } from '../../../../src/adapters/pi/index.ts';
import type { InterruptControllerOptions, TurnReport } from '../../../../src/index.ts';
import { deferred } from '../../../../src/testing/fakes.ts';
import type { ModelScript, ModelServer } from '../../../../src/testing/model-server/index.ts';
import { waitUntil } from '../../../../src/testing/waiting.ts';
import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';
import { frameworkStage } from '../../stage.ts';
import type { Work } from './framework.ts';
import { piAgent, type PiVersion } from './pi.ts';

export interface PiStageSettings {
  readonly tools?: Readonly<Record<string, Work>>;
  readonly options?: AgentOptions;
  readonly controller?: InterruptControllerOptions;
  readonly api?: 'anthropic-messages' | undefined;
}

export const piStageOf =
  (version: PiVersion) =>
  async (script: ModelScript, settings: PiStageSettings = {}) => {
    const { tools, options, api, controller = { graceMs: 200 } } = settings;
    const { server, baseURL, agent } = await frameworkStage(script, controller);
    const pi = piAgent({ baseURL, tools, options, api }, version);
    const prompt = (text: string): Promise<TurnReport<void>> =>
      agent.runTurn((turn) => underTurn(turn, pi, { dialect: openaiChat }).prompt(text));
    /** What the last request says, `role kind: text`. */
    const told = () => server.requests.at(-1)!.history.map(({ role, kind, text }) => `${role} ${kind}: ${text}`);
    const results = () => told().filter((line) => line.startsWith('tool'));
    return { server, agent, pi, prompt, told, results };
  };

export const rolesOf = ({ state }: Agent) =>
  state.messages.map(({ role }) => role).filter((role: string) => role !== 'system');
/** What asks the model; its name is another one since version 1. */
export const streamOf = (pi: Agent): unknown =>
  (pi as { readonly streamFunction?: unknown }).streamFunction ?? pi.streamFn;
export const statusOf = ({ requests }: ModelServer) => requests.map(({ status }) => status);

/** Resolves when the reply that streams holds a text. */
export const whenStreams = ({ state }: Agent, text: string): Promise<void> =>
  waitUntil(text, () => JSON.stringify(state.streamingMessage ?? '').includes(text), 10_000);

/** A tool that ends when it is told to, and says when it has begun. */
export function obedientWork(): { readonly started: Promise<void>; readonly run: Work } {
  const started = deferred();
  const run: Work = ({ signal }) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
      started.resolve();
    });
  return { started: started.promise, run };
}

/** A question that nobody answers. */
export function unanswered() {
  const asked = deferred();
  const beforeToolCall = (): Promise<undefined> => {
    asked.resolve();
    return new Promise(() => undefined);
  };
  return { asked: asked.promise, beforeToolCall };
}
