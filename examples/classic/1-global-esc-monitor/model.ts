/** The model: the provider's if its key is in the environment, else one embedded in this program. */
import Anthropic from '@anthropic-ai/sdk';
import { startModelServer, type ModelReply, type ModelRequest } from 'desist/testing';

export interface Model {
  readonly client: Anthropic;
  readonly name: string;
  close(): Promise<void>;
}

/** It knows three words, each in the place of a tool or of a short answer; else it tells a story, slowly. */
function embedded({ body }: ModelRequest): ModelReply {
  const last = (body['messages'] as { readonly content: unknown }[]).at(-1)?.content;
  const asked = JSON.stringify(last);
  if (Array.isArray(last) && asked.includes('tool_result')) return 'The tool has answered.';
  const command = /sleep \d+/.exec(asked)?.[0];
  if (command !== undefined) return { text: 'I wait.', toolCalls: [{ name: 'shell', input: { command } }] };
  if (asked.includes('search')) return { text: 'I look.', toolCalls: [{ name: 'search', input: { query: 'it' } }] };
  return asked.includes('quick') ? 'Here you are.' : { text: 'Once upon a time. '.repeat(100), chunkMs: 50 };
}

export async function openModel(env: NodeJS.ProcessEnv): Promise<Model> {
  const name = env['ANTHROPIC_MODEL'] ?? 'claude-haiku-5-5';
  // The SDK takes key and address from the environment itself.
  if (env['ANTHROPIC_API_KEY'])
    return { client: new Anthropic({ maxRetries: 0 }), name, close: () => Promise.resolve() };
  const server = await startModelServer({ script: embedded });
  const client = new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 });
  return { client, name, close: () => server.close() };
}
