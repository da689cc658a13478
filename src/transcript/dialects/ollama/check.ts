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
  isAnswered: boolean;
}

/** The calls of a reply that wait, by id and then by name, each list from the last to the first. */
type Waiting = ReadonlyMap<unknown, ReadonlyMap<unknown, Open[]>>;

/** Notes every breach, message by message. */
export function checkOllama(messages: readonly OllamaChatMessage[], note: Note): void {
  /** The calls that may still be answered by tool messages. */
  let open: readonly Open[] = [];
  let waiting: Waiting = new Map();
  const close = (): void => {
    for (const { at, name, isAnswered } of open) {
      if (!isAnswered) note(at, 'call-answered', `${String(name)} has no tool message after it`);
    }
    open = [];
  };
  messages.forEach((given, at) => {
    const message = given as unknown as Json;
    const { role, content } = message;
    if (content !== undefined && typeof content !== 'string') note(at, 'plain-message', 'content is not a text');
    if (role === 'tool') {
      const call = callOf(message, waiting);
      if (call === undefined)
        note(at, 'result-has-call', `a tool message has no call that waits: ${String(message['tool_name'])}`);
      else call.isAnswered = true;
      if (content === undefined) note(at, 'result-content', 'a tool message has no content');
      return;
    }
    close();
    if (role === 'assistant') open = checkReply(message, at, note);
    if (open.length > 0 || waiting.size > 0) waiting = waitingOf(open);
  });
  close();
}

/** Stands for every id and for every name. */
const any = Symbol('any');
/** Stands for the id of a call that has none. */
const none = Symbol('none');

function waitingOf(open: readonly Open[]): Waiting {
  const waiting = new Map<unknown, Map<unknown, Open[]>>();
  for (const call of [...open].reverse()) {
    for (const id of [any, textOr(none, call.id)]) {
      const names = waiting.get(id) ?? new Map<unknown, Open[]>();
      waiting.set(id, names);
      for (const name of [any, call.name]) {
        const calls = names.get(name);
        if (calls === undefined) names.set(name, [call]);
        else calls.push(call);
      }
    }
  }
  return waiting;
}

/** A result goes by its id, its tool's name, or else its order; one with the id of a call that is gone is of none that has one. */
function callOf(message: Json, waiting: Waiting): Open | undefined {
  const name = textOr(any, message['tool_name']);
  const id = textOr(any, message['tool_call_id']);
  return next(waiting.get(id)?.get(name)) ?? next(waiting.get(waiting.has(id) ? any : none)?.get(name));
}

function textOr(other: symbol, value: unknown): unknown {
  return typeof value === 'string' && value !== '' ? value : other;
}

/** The first of a list that waits; takes the answered ones off it, so that each is passed over once. */
function next(calls: Open[] | undefined): Open | undefined {
  while (calls?.at(-1)?.isAnswered === true) calls.pop();
  return calls?.at(-1);
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
    return { at, name, id: call['id'], isAnswered: false };
  });
}
