/** A loop whose provider holds the conversation: only what is new is sent, and every call must be answered. */
import OpenAI from 'openai';
import { CancellationTokenSource, raceCancellation } from '../../../src/index.ts';
import type { AgentHarness } from '../../../src/testing/index.ts';

type Item = OpenAI.Responses.ResponseInputItem;

/** Where the provider's conversation stands, and what it has not been sent yet. */
interface Held {
  readonly id: string | undefined;
  readonly outputs: readonly Item[];
}

/** One that forgets submits nothing of a stopped batch. */
export function heldLoop(isForgetful = false): AgentHarness {
  return {
    name: 'held loop',
    start({ url, prompt, tools, history }) {
      const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' });
      const stop = new CancellationTokenSource();
      let { id, outputs } = (history as Held | undefined) ?? { id: undefined, outputs: [] };
      const loop = async (): Promise<void> => {
        let input: readonly Item[] = [...outputs, { role: 'user', content: prompt }];
        for (;;) {
          const body = {
            model: 'scripted',
            input: [...input],
            ...(id === undefined ? {} : { previous_response_id: id }),
          };
          const response = await client.responses.create(body, { signal: stop.signal });
          ({ id } = response);
          const calls = response.output.filter((item) => item.type === 'function_call');
          outputs = await Promise.all(
            calls.map(async ({ call_id, name }): Promise<Item> => {
              const work = tools[name]?.(stop.signal) ?? Promise.resolve('no such tool');
              const output = await raceCancellation(stop.token, work).catch(() => 'Stopped; it may have run.');
              return { type: 'function_call_output', call_id, output };
            }),
          );
          stop.token.throwIfCancelled();
          if (calls.length === 0) return;
          input = outputs;
        }
      };
      return {
        done: loop(),
        cancel: () => {
          stop.cancel('user');
        },
        history: (): Held => ({ id, outputs: isForgetful ? [] : outputs }),
      };
    },
  };
}
