/** The model: the provider's if its key is in the environment, else one embedded in this program. */
import Anthropic from '@anthropic-ai/sdk';
import { startModelServer, type ModelReply, type ModelRequest } from 'desist/testing';

export interface Model {
  readonly client: Anthropic;
  readonly name: string;
  close(): Promise<void>;
}

/** A story; `plan` in the prompt makes it call its tool, three times. What is typed meanwhile is acknowledged. */
function embedded({ body }: ModelRequest): ModelReply {
  const messages = body['messages'] as { role: string; content: unknown }[];
  const last = JSON.stringify(messages.at(-1)?.content);
  if (last.includes('[PRIORITY USER MESSAGE]')) return { text: 'Understood, I adjust the plan.', chunkMs: 20 };
  const begin = messages.findLastIndex(({ content }) => typeof content === 'string');
  if (!String(messages[begin]?.content).includes('plan')) {
    return { text: 'Once upon a time there was an agent that could be stopped. '.repeat(8), chunkMs: 50 };
  }
  const round = (messages.length - begin + 1) / 2;
  return round > 3 ? 'The plan is done.' : { text: `Step ${String(round)}.`, toolCalls: [{ name: 'work', input: {} }] };
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
