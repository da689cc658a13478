/** The model: the provider's if its key is in the environment, else one embedded in this program. */
import Anthropic from '@anthropic-ai/sdk';
import { startModelServer, type ModelReply, type ModelRequest } from 'desist/testing';

export interface Model {
  readonly client: Anthropic;
  readonly name: string;
  close(): Promise<void>;
}

/** Calls the tool that the prompt names; `again` in the prompt makes it call for ever. */
function embedded({ body }: ModelRequest): ModelReply {
  const messages = body['messages'] as { role: string; content: unknown }[];
  const prompt = String(messages.findLast(({ content }) => typeof content === 'string')?.content);
  const isAnswered = typeof messages.at(-1)?.content !== 'string';
  const name = /\b(search|look|remove)\b/.exec(prompt)?.[1];
  if (name === undefined)
    return { text: 'Once upon a time there was an agent that could be stopped. '.repeat(8), chunkMs: 50 };
  if (isAnswered && !prompt.includes('again')) return 'The tool has answered; that is all.';
  return { text: `I call ${name}.`, toolCalls: [{ name, input: name === 'search' ? { query: 'desist' } : {} }] };
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
