/** The model: the provider's if its key is in the environment, else one embedded in this program. */
import Anthropic from '@anthropic-ai/sdk';
import { startModelServer, type ModelReply, type ModelRequest } from 'desist/testing';

export interface Model {
  readonly client: Anthropic;
  readonly name: string;
  close(): Promise<void>;
}

/** `plan` goes all the way down to a command that sleeps; else a story. A message on the way is acknowledged. */
function embedded({ body }: ModelRequest): ModelReply {
  const messages = body['messages'] as { role: string; content: unknown }[];
  const last = messages.at(-1)?.content;
  if (String(last).startsWith('[PRIORITY USER MESSAGE]')) return { text: 'Understood, I adjust.', chunkMs: 20 };
  if (typeof last !== 'string') return 'It is done.';
  if (last === 'explore') return { toolCalls: [{ name: 'shell', input: { text: 'sleep 20' } }] };
  if (last === 'the steps') return { toolCalls: [{ name: 'explore', input: { text: 'explore' } }] };
  if (last.includes('plan')) return { text: 'I plan.', toolCalls: [{ name: 'plan', input: { text: 'the steps' } }] };
  return { text: 'Once upon a time there was an agent that could be stopped. '.repeat(8), chunkMs: 50 };
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
