/** Where the model is: the provider's if its key is in the environment, else one embedded in this program. */
import { startModelServer } from 'desist/testing';
import type { Request } from './blocking-client.ts';

export type ModelAddress = Omit<Request, 'messages'>;

export interface Model {
  readonly address: ModelAddress;
  close(): Promise<void>;
}

/** Long enough to be stopped; a question with `quick` in it is answered at once. */
const THINKING_MS = 20_000;

export async function openModel(env: NodeJS.ProcessEnv): Promise<Model> {
  const apiKey = env['ANTHROPIC_API_KEY'];
  const baseUrl = env['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com';
  const model = env['ANTHROPIC_MODEL'] ?? 'claude-haiku-5-5';
  if (apiKey) return { address: { baseUrl, apiKey, model }, close: () => Promise.resolve() };
  const server = await startModelServer({
    script: ({ body }) => {
      const isQuick = /quick[^"]*"\}\]$/.test(JSON.stringify(body['messages']));
      return isQuick
        ? 'Here is a short answer.'
        : { text: 'You were patient: this took 20 seconds.', delayMs: THINKING_MS };
    },
  });
  return { address: { baseUrl: server.url, apiKey: 'none', model: 'embedded' }, close: () => server.close() };
}
