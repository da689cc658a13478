/** One reply of the model of Anthropic's protocol, as an executable of the Claude Agent SDK asks for it and tells of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Line } from './stdio.ts';

export interface ModelRequest {
  readonly tools: Iterable<string>;
  readonly messages: readonly object[];
  readonly signal: AbortSignal;
  /** Told of each event as it comes. */
  readonly onEvent: (event: Line) => void;
  /** Told of each part that has come whole. */
  readonly onBlock: (content: Line) => void;
}

/** A part of a reply. */
export interface Block {
  readonly type: string;
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  text: string;
  json: string;
  thinking: string;
  signature: string;
}
/** Asks the model; gives the reply that came, whole or cut. */
export async function modelReply({ tools, messages, signal, onEvent, onBlock }: ModelRequest): Promise<Block[]> {
  const specs = [...tools].map((name) => ({ name, input_schema: { type: 'object', properties: {} } }));
  const body = JSON.stringify({ model: 'scripted', max_tokens: 1000, stream: true, tools: specs, messages });
  const headers = { 'content-type': 'application/json', 'x-api-key': 'none', 'anthropic-version': '2023-06-01' };
  const url = `${process.env['ANTHROPIC_BASE_URL'] ?? ''}/v1/messages`;
  let response = await fetch(url, { method: 'POST', headers, body, signal });
  for (let left = 3; (response.status >= 500 || response.status === 429) && left > 0; left--) {
    await response.text();
    await sleep(Number(response.headers.get('retry-after') ?? 1) * 1000, undefined, { signal });
    response = await fetch(url, { method: 'POST', headers, body, signal });
  }
  if (!response.ok || response.body === null) {
    const { error } = (await response.json()) as { error: { message: string } };
    throw new Error(`API Error: ${String(response.status)} ${error.message}`);
  }
  const blocks: Block[] = [];
  let rest = '';
  try {
    for await (const chunk of response.body.pipeThrough(new TextDecoderStream()) as unknown as AsyncIterable<string>) {
      const events = (rest + chunk).split('\n\n');
      rest = events.pop() ?? '';
      for (const text of events) {
        const event = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '{}') as {
          type: string;
          index: number;
          content_block: Block;
          delta: { text?: string; partial_json?: string; thinking?: string; signature?: string };
          error?: { message: string };
        };
        if (event.type === 'ping') continue;
        if (event.type === 'error') throw new Error(`API Error: ${event.error?.message ?? ''}`);
        const own = blocks[event.index];
        if (event.type === 'content_block_start') {
          blocks[event.index] = { ...event.content_block, text: '', json: '', thinking: '', signature: '' };
        }
        if (event.type === 'content_block_delta' && own !== undefined) {
          own.text += event.delta.text ?? '';
          own.json += event.delta.partial_json ?? '';
          own.thinking += event.delta.thinking ?? '';
          own.signature += event.delta.signature ?? '';
        }
        onEvent(event);
        if (event.type === 'content_block_stop' && own !== undefined) onBlock(contentOf(own));
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    // Half a call is none.
    return blocks.filter(({ type, text }) => type === 'text' && text !== '');
  }
  return blocks;
}

export function contentOf({ type, id, name, text, json, thinking, signature }: Block): Line {
  if (type === 'thinking') return { type, thinking, signature };
  return type === 'tool_use' ? { type, id, name, input: JSON.parse(json || '{}') as unknown } : { type: 'text', text };
}
