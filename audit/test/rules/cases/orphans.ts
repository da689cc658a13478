import type { RuleCases } from '../harness.ts';

const openai = "import OpenAI from 'openai';\nconst client = new OpenAI();";

export const orphansCases: RuleCases = {
  valid: [
    {
      name: 'a request with a signal in reach is for another rule',
      code: `${openai}
export const ask = async (signal: AbortSignal) => [signal, await client.models.list()];`,
    },
    {
      name: 'a request with a limit of time of its own',
      code: `export const load = async () => await fetch('https://a.example', { signal: AbortSignal.timeout(1_000) });`,
    },
    {
      name: 'a function that is offered a signal is for another rule',
      code: `interface Tool { execute(input: string, signal?: AbortSignal): Promise<Response> }
export const tool: Tool = { execute: async (url) => await fetch(url) };`,
    },
    {
      name: 'a request that ends what was begun',
      code: `declare const client: { close(options?: { signal?: AbortSignal }): Promise<void> };
export const leave = async () => await client.close();`,
    },
  ],
  invalid: [
    {
      name: 'a request of openai',
      code: `${openai}
export const list = async () => await client.models.list();`,
      finds: 'orphan',
      mended: null,
    },
    {
      name: 'fetch',
      code: `export const load = async () => await fetch('https://a.example');`,
      finds: 'orphan',
      mended: null,
    },
    {
      name: 'a request whose function is called by one that has a signal',
      code: `async function load() { return await fetch('https://a.example'); }
export async function run(signal: AbortSignal) { signal.throwIfAborted(); return await load(); }`,
      finds: 'orphan',
      mended: null,
    },
  ],
};
