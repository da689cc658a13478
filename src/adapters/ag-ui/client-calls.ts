/**
 * The calls as the client of a run has them: each by its id, with its arguments, and whether it has a result.
 *
 * Invariant: the arguments of a call are here what its client has put together.
 *
 * Prior art: `transformChunks` and `defaultApplyEvents` of `@ag-ui/client`.
 *
 * @module
 */
import { type CancelReason, type InterruptEvent, isObject, type TurnReport } from '../../core/inside.ts';
import type { ToldOutcome, WordsOf } from '../../guard/told-words.ts';
import { JsonEnd } from '../internal/json-end.ts';
import type { AgUiEvent } from './open-parts.ts';

/** A call as the client has it. */
interface Call {
  name: string;
  /** Its arguments. */
  readonly json: JsonEnd;
  isAnswered: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/** What names a part that comes in chunks. */
const chunks: Readonly<Record<string, 'messageId' | 'toolCallId'>> = {
  TEXT_MESSAGE_CHUNK: 'messageId',
  TOOL_CALL_CHUNK: 'toolCallId',
  REASONING_MESSAGE_CHUNK: 'messageId',
};

/** What ends the part that its sender gives in chunks. */
const endsChunks = /^(?:TEXT|TOOL|STEP|STATE|CUSTOM|REASONING_(?!ENCRYPTED)|SUBAGENT_(?!STARTED))/;

/** The calls of one client. */
export class ClientCalls {
  readonly #calls = new Map<string, Call>();
  /** The part that the agent, or a sub-agent of it, gives in chunks. */
  readonly #parts = new Map<string | undefined, { readonly type: string; readonly id: string }>();
  /** The replies that models are at: the calls that each has shown, and why it was told to stop. */
  readonly #replies = new Map<string, { readonly calls: string[]; reason?: CancelReason }>();
  /** The last of each id, also of a call that is shown later. */
  readonly #outcomes = new Map<string, ToldOutcome>();

  /** @param messages What the client had before the run. */
  constructor(messages?: unknown) {
    this.#show(messages);
  }

  /** The agent has told of its work. */
  heard(event: InterruptEvent): void {
    if (event.type === 'tool-outcome') this.#outcomes.set(event.outcome.id, event.outcome);
    if (!('operationId' in event)) return;
    const { operationId } = event;
    const reply = this.#replies.get(operationId);
    if (event.type === 'operation-started') {
      if (event.operationKind === 'model') this.#replies.set(operationId, { calls: [] });
    } else if (event.type === 'operation-stopping') {
      if (reply !== undefined) reply.reason = event.reason;
    } else if (this.#replies.delete(operationId) && reply?.reason !== undefined) {
      const unknown = reply.calls.filter((id) => !this.#outcomes.has(id));
      for (const id of unknown) this.#outcomes.set(id, unbegun(id, this.#calls.get(id)?.name, reply.reason));
    }
  }

  /** An event was sent. */
  sent(event: AgUiEvent): void {
    const { type, subagentRunId, toolCallName, delta } = event;
    const named = chunks[type];
    if (type === 'MESSAGES_SNAPSHOT') {
      this.#parts.clear();
      this.#calls.clear();
      this.#show((event as { readonly messages?: unknown }).messages);
    } else if (named === undefined && endsChunks.test(type)) this.#parts.delete(subagentRunId);
    const id = named === undefined ? event.toolCallId : this.#partOf(event, event[named]);
    if (id === undefined || !type.startsWith('TOOL_CALL_')) return;
    const isNew = !this.#calls.has(id) && (named !== undefined || type === 'TOOL_CALL_START');
    if (isNew) for (const { calls } of this.#replies.values()) calls.push(id);
    const call = isNew ? this.#add(id) : this.#calls.get(id);
    if (call === undefined) return;
    if (toolCallName !== undefined) call.name = toolCallName;
    if (typeof delta === 'string') call.json.add(delta);
    if (type === 'TOOL_CALL_RESULT') call.isAnswered = true;
  }

  /** What the arguments of a call lack, as an event; nothing for whatever is no call. */
  rest(event: AgUiEvent): readonly AgUiEvent[] {
    const { toolCallId: id } = event;
    const delta = (id === undefined ? undefined : this.#calls.get(id)?.json.rest) ?? '';
    return delta === '' ? [] : [{ ...event, delta }];
  }

  /**
   * What the arguments of calls lack that nobody is to run. Each goes on in a chunk, which begins it again where it stands.
   *
   * @param open Parts that have not ended: a call among them cannot begin.
   */
  rests(report: TurnReport<unknown>, open: readonly AgUiEvent[]): readonly AgUiEvent[] {
    const others = this.#cut(report).filter(({ id }) => open.every(({ toolCallId }) => toolCallId !== id));
    return others.flatMap(({ id, name }) => this.rest({ type: 'TOOL_CALL_CHUNK', toolCallId: id, toolCallName: name }));
  }

  /** The results of those that have none. */
  results(report: TurnReport<unknown>, { texts }: WordsOf): readonly object[] {
    const reason = report.status === 'cancelled' ? report.reason : undefined;
    const open = this.#cut(report).filter(({ isAnswered }) => !isAnswered);
    return open.map(({ id, name }) => {
      const content = texts.outcome(this.#outcomes.get(id) ?? unbegun(id, name, reason), reason);
      return { type: 'TOOL_CALL_RESULT', messageId: crypto.randomUUID(), toolCallId: id, content, role: 'tool' };
    });
  }

  /**
   * The calls that nobody is to run. Where the run has completed, they are those whose arguments did not come to their end, and those
   * that a message cut: them, or the reply that showed them.
   */
  #cut({ status }: TurnReport<unknown>): readonly (Call & { readonly id: string })[] {
    const all = [...this.#calls].map(([id, call]) => ({ id, ...call }));
    return all.filter(({ id, json }) => status !== 'completed' || !json.hasCome || isCut(this.#outcomes.get(id)));
  }

  /** The name of what a chunk begins or goes on with: its own, or that which its client finds for it. */
  #partOf({ type, subagentRunId: sender }: AgUiEvent, id: string | undefined): string | undefined {
    const open = [...this.#parts].filter(([, part]) => part.type === type);
    const [, part] =
      open.find(([of, { id: own }]) => (id === undefined ? of === sender : own === id)) ??
      // Only the first chunk may have named its sub-agent.
      (id === undefined && sender === undefined ? open[0] : undefined) ??
      [];
    if (part === undefined && id !== undefined) this.#parts.set(sender, { type, id });
    return part?.id ?? id;
  }

  #add(id: string, name = '', text = ''): Call {
    const call = { name, json: new JsonEnd(), isAnswered: false };
    call.json.add(text);
    this.#calls.set(id, call);
    return call;
  }

  /** The client has these messages. */
  #show(messages: unknown): void {
    for (const { toolCalls, toolCallId } of objectsIn(messages)) {
      for (const { id, function: called } of objectsIn(toolCalls)) {
        const { name = '', arguments: text = '{}' } = (isObject(called) ? called : {}) as Fields;
        if (typeof id === 'string' && !this.#calls.has(id)) this.#add(id, String(name), String(text));
      }
      const call = this.#calls.get(String(toolCallId));
      if (call !== undefined) call.isAnswered = true;
    }
  }
}

/** A call that did not begin. */
function unbegun(id: string, name = '', reason?: CancelReason): ToldOutcome {
  const call = { id, name, call: {}, ms: 0 };
  if (reason === undefined) return { ...call, status: 'failed', error: new Error('This call did not begin') };
  return { ...call, status: reason.kind === 'interjection' ? 'skipped' : 'not-started', reason };
}

/** Whether a call, or all of it, was not done although nobody has stopped the turn. */
function isCut(outcome: ToldOutcome | undefined): boolean {
  if (outcome === undefined || !('reason' in outcome)) return false;
  return outcome.status === 'not-started' || outcome.reason.kind === 'interjection';
}

function objectsIn(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? (value as readonly unknown[]).filter((one): one is Fields => isObject(one)) : [];
}
