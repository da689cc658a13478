/**
 * Ollama's messages as those of Chat Completions, and back: the same calls and results, with ids between them.
 *
 * @module
 */
import type { OpenAIChatMessage, ToolCall } from '../../chat/message.ts';
import { field, textIn, without } from '../../reading/fields.ts';
import { Translation } from '../translation.ts';
import { valueText } from '../../words/values.ts';
import { argumentsOf, callsOf, changed, contentText, nameOf, type OllamaChatMessage } from './message.ts';
import { Pairing, type PairedCall } from './pairing.ts';

/** There and back, for one transcript. */
export class OllamaTranslation {
  readonly #messages = new Translation<OllamaChatMessage, OpenAIChatMessage>();
  readonly #calls = new Translation<object, ToolCall>();

  /** A transcript, front to back. */
  toChat(messages: readonly OllamaChatMessage[]): readonly OpenAIChatMessage[] {
    const { ids, found } = pairsIn(messages);
    /** What the calls of replies that follow each other directly are known by. */
    let here = new Set<string>();
    return messages.map((message, at) => {
      if (message.role === 'tool') {
        const given = textIn(field(message, 'tool_call_id'));
        const name = textIn(field(message, 'tool_name'));
        const call = found.get(at);
        const isWrong = call !== undefined && given !== undefined && call.given !== given;
        // One that answers nothing gets an id that no call has, and goes by that.
        const chat = { role: 'tool', tool_call_id: call?.id ?? `${name ?? ''}#?`, content: message.content } as const;
        return this.#messages.link(
          isWrong ? without(message, 'tool_call_id') : withName(message),
          chat as OpenAIChatMessage,
        );

        /** It goes up to its call, where its order would give it to another: it says whose it is. */
        function withName(own: OllamaChatMessage): OllamaChatMessage {
          const isMoved = call?.name !== undefined && (given ?? name) === undefined && !here.has(call.id);
          return isMoved ? changed(own, { tool_name: call.name }) : own;
        }
      }
      if (message.role !== 'assistant') return message as OpenAIChatMessage;
      if (messages[at - 1]?.role !== 'assistant') here = new Set();
      const own = ids.get(at) ?? [];
      for (const id of own) here.add(id);
      return this.#replyToChat(message, own);
    });
  }

  #replyToChat(message: OllamaChatMessage, ids: readonly string[]): OpenAIChatMessage {
    const calls = callsOf(message);
    const tool_calls = calls.map((call, i) => {
      // They are whole, and stay with the call: nobody has to write them down here.
      const body = { name: nameOf(call), arguments: '{}' };
      return this.#calls.link(call, { id: ids[i], type: 'function', function: body });
    });
    const translated = { ...without(message, 'tool_calls'), ...(calls.length === 0 ? {} : { tool_calls }) };
    return this.#messages.link(message, translated as OpenAIChatMessage);
  }

  /** A transcript back, front to back. */
  toOllama(messages: readonly OpenAIChatMessage[]): OllamaChatMessage[] {
    const latest = new Map<unknown, ToolCall>();
    return messages.map((message) => {
      const calls = field(message, 'tool_calls');
      if (Array.isArray(calls)) for (const call of calls as ToolCall[]) latest.set(field(call, 'id'), call);
      const untouched = this.#messages.untouched(message);
      if (untouched !== undefined) return untouched;
      if (message.role !== 'assistant' && message.role !== 'tool') return message as OllamaChatMessage;
      const content = contentText(message.content ?? '');
      const own = this.#messages.originOf(message);
      if (message.role !== 'tool') {
        const tool_calls = Array.isArray(calls)
          ? (calls as ToolCall[]).map((call) => this.#calls.originOf(call) ?? call)
          : [];
        const rest = without(own ?? {}, 'tool_calls');
        return { ...rest, role: 'assistant', content, ...(tool_calls.length === 0 ? {} : { tool_calls }) };
      }
      if (own !== undefined) return { ...own, content };
      const call = latest.get(field(message, 'tool_call_id')) ?? {};
      return resultMessage(nameOf(call), content, this.#calls.originOf(call) ?? call);
    });
  }
}

/** What each call is known by, reply by reply, and the call that each result belongs to. */
function pairsIn(messages: readonly OllamaChatMessage[]) {
  const pairing = new Pairing();
  const ids = new Map<number, readonly string[]>();
  const found = new Map<number, PairedCall>();
  /** How many replies that follow each other directly have an id. */
  let taken = new Map<string, number>();
  messages.forEach((message, at) => {
    if (message.role === 'tool') {
      const call = pairing.result(textIn(field(message, 'tool_call_id')), textIn(field(message, 'tool_name')));
      if (call !== undefined) found.set(at, call);
    }
    if (message.role !== 'assistant') return;
    const goesOn = messages[at - 1]?.role === 'assistant';
    pairing.beginReply(goesOn);
    if (!goesOn) taken = new Map();
    const calls = callsOf(message);
    const own = copiesOf(idsOf(calls), taken);
    ids.set(at, own);
    calls.forEach((given, i) => {
      pairing.call({ id: own[i] as string, given: textIn(field(given, 'id')), name: nameOf(given) });
    });
  });
  return { ids, found };
}

/** The result of a call; newer servers give calls ids, and take them. */
export function resultMessage(name: string | undefined, content: string, call: object | undefined): OllamaChatMessage {
  const id = call === undefined ? undefined : textIn(field(call, 'id'));
  const message: OllamaChatMessage & { readonly tool_name: string } = {
    role: 'tool',
    tool_name: name ?? '',
    ...(id === undefined ? {} : { tool_call_id: id }),
    content,
  };
  return message;
}

/**
 * What each call of a reply is known by: its id, or the name of its tool and its place among the calls of that name. An id
 * that comes again is a copy of the call if it is of the same tool and has the same arguments, and else another call.
 */
export function idsOf(calls: readonly object[]): readonly string[] {
  const known = new Map<string, string>();
  const counts = new Map<string, number>();
  const taken = new Set(calls.map((call) => textIn(field(call, 'id'))));
  const numbered = (text: string): string => {
    let n = counts.get(text) ?? 0;
    do n += 1;
    while (taken.has(text + String(n)));
    counts.set(text, n);
    return text + String(n);
  };
  return calls.map((call) => {
    const given = textIn(field(call, 'id'));
    const name = nameOf(call);
    if (given === undefined || name === undefined) return numbered(`${name ?? ''}#`);
    const what = `${name} ${argumentsText(call)}`;
    const before = known.get(given) ?? what;
    known.set(given, before);
    // Known by the id that it was made of, and no copy of what a reply before had: those begin with another digit.
    return before === what ? given : numbered(`${given}_copy0`);
  });
}

/**
 * The ids of a reply, also of one that follows another directly, whose calls wait as well: the results come below both.
 * What is made of an id is known by it, as everywhere.
 *
 * @param taken How many replies directly before have an id.
 */
function copiesOf(ids: readonly string[], taken: Map<string, number>): readonly string[] {
  const copies = ids.map((id) => (taken.has(id) ? `${id}_copy${String((taken.get(id) ?? 0) + 1)}` : id));
  for (const id of new Set(ids)) taken.set(id, (taken.get(id) ?? 0) + 1);
  return copies;
}

function argumentsText(call: object): string {
  const args = argumentsOf(call);
  return typeof args === 'string' ? args : valueText(args);
}
