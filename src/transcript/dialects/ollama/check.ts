/**
 * Finds every breach of the rules of Ollama's chat API in a transcript: of its types, and of what its models can follow.
 * Written from the provider's rules alone and sharing nothing with the settler, so that each can be tested by the other.
 *
 * @module
 */
import type { Note } from '../rules.ts';
import type { OllamaChatMessage } from './message.ts';

type Json = Readonly<Record<string, unknown>>;

interface Open {
  readonly at: number;
  readonly name: unknown;
  readonly id: unknown;
}

/** Notes every breach, message by message. */
export function checkOllama(messages: readonly OllamaChatMessage[], note: Note): void {
  /** The calls that still wait for their tool messages. */
  let open: Open[] = [];
  const close = (): void => {
    for (const { at, name } of open) note(at, 'call-answered', `${String(name)} has no tool message after it`);
    open = [];
  };
  messages.forEach((given, at) => {
    const message = given as unknown as Json;
    const { role, content } = message;
    if (content !== undefined && typeof content !== 'string') note(at, 'plain-message', 'content is not a text');
    if (role === 'tool') {
      const place = placeOf(message, open);
      if (place === -1)
        note(at, 'result-has-call', `a tool message has no call that waits: ${String(message['tool_name'])}`);
      else open.splice(place, 1);
      if (content === undefined) note(at, 'result-content', 'a tool message has no content');
      return;
    }
    close();
    if (role === 'assistant') open = checkReply(message, at, note);
  });
  close();
}

/** A result goes by its id, its tool's name, or else its order. */
function placeOf(message: Json, open: readonly Open[]): number {
  const [name, id] = [message['tool_name'] || undefined, message['tool_call_id']];
  const byId =
    id === undefined || id === '' ? -1 : open.findIndex((call) => call.id === id && (name ?? call.name) === call.name);
  if (byId !== -1) return byId;
  if (name !== undefined) return open.findIndex((call) => call.name === name);
  return open.length === 0 ? -1 : 0;
}

function checkReply(message: Json, at: number, note: Note): Open[] {
  const calls = Array.isArray(message['tool_calls']) ? (message['tool_calls'] as readonly Json[]) : [];
  if (calls.length === 0 && (message['content'] === undefined || message['content'] === '')) {
    note(at, 'message-not-empty', 'the message holds nothing');
  }
  return calls.map((call): Open => {
    const body = call['function'] as Json | undefined;
    const name = body?.['name'];
    if (typeof name !== 'string' || name === '') note(at, 'call-name', 'a call has no name');
    const args = body?.['arguments'];
    if (args !== undefined && args !== null && (typeof args !== 'object' || Array.isArray(args))) {
      note(at, 'call-arguments', `the arguments of ${String(name)} are no object`);
    }
    return { at, name, id: call['id'] };
  });
}
