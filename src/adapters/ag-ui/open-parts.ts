/**
 * What a run has begun to say and not ended: its client refuses the end of a run before the end of its parts.
 *
 * @module
 */
import type { ToldOutcome } from '../../guard/told-words.ts';
import { JsonEnd } from '../internal/json-end.ts';

/** An event of the protocol. */
export interface AgUiEvent {
  readonly type: string;
  readonly messageId?: string;
  readonly toolCallId?: string;
  readonly toolCallName?: string;
  readonly stepName?: string;
  readonly subagentRunId?: string;
  readonly delta?: unknown;
}

type Name = 'messageId' | 'toolCallId' | 'stepName' | 'subagentRunId';

/** What begins by which event, and what is its name there. */
const endings: Readonly<Record<string, readonly [end: string, name: Name]>> = {
  TEXT_MESSAGE_START: ['TEXT_MESSAGE_END', 'messageId'],
  TOOL_CALL_START: ['TOOL_CALL_END', 'toolCallId'],
  REASONING_START: ['REASONING_END', 'messageId'],
  REASONING_MESSAGE_START: ['REASONING_MESSAGE_END', 'messageId'],
  STEP_STARTED: ['STEP_FINISHED', 'stepName'],
  SUBAGENT_STARTED: ['SUBAGENT_FINISHED', 'subagentRunId'],
};

const names: ReadonlyMap<string, Name> = new Map([...Object.values(endings), ['SUBAGENT_ERROR', 'subagentRunId']]);

/** What is open, by its name; each sub-agent has steps of its own. */
function keyOf(name: Name, event: AgUiEvent, end: string): string {
  const { [name]: own = '', subagentRunId = '' } = event;
  return [end.replace('ERROR', 'FINISHED'), own, name === 'stepName' ? subagentRunId : ''].join(' ');
}

/** What does not end a call in chunks, at the client: everything else does. */
const passing = new Set([
  ...['RAW', 'ACTIVITY_SNAPSHOT', 'ACTIVITY_DELTA', 'REASONING_ENCRYPTED_VALUE', 'SUBAGENT_STARTED'],
]);

/** A message of a snapshot, as far as calls concern it. */
interface Shown {
  readonly toolCallId?: string;
  readonly toolCalls?: readonly { readonly id: string; readonly function?: { readonly name?: string } }[];
}

/** The parts of one run. */
export class OpenParts {
  readonly #open = new Map<string, AgUiEvent>();
  #calls = new Map<string, string>();
  /** The last outcome of each id of which no result has told: some models begin again with each reply. */
  readonly #outcomes = new Map<string, ToldOutcome>();
  readonly #arguments = new Map<string, JsonEnd>();
  /** The call that comes in chunks. */
  #chunked: string | undefined;

  /** The calls without a result, with what became of them if they have run. */
  get calls(): readonly { readonly id: string; readonly name: string; readonly outcome: ToldOutcome | undefined }[] {
    return [...this.#calls].map(([id, name]) => ({ id, name, outcome: this.#outcomes.get(id) }));
  }

  /** A call of the turn has ended, or was not to begin. */
  ended(outcome: ToldOutcome): void {
    this.#outcomes.set(outcome.id, outcome);
  }

  /** An event was sent. */
  sent(event: AgUiEvent): void {
    const { type, toolCallName = '', subagentRunId, delta } = event;
    const isChunk = type === 'TOOL_CALL_CHUNK';
    const { toolCallId = isChunk ? this.#chunked : undefined } = event;
    const begins = type === 'TOOL_CALL_START' || (isChunk && toolCallId !== this.#chunked);
    if (!passing.has(type)) this.#chunked = isChunk ? toolCallId : undefined;
    if (type === 'MESSAGES_SNAPSHOT') {
      this.#show((event as { readonly messages?: readonly Shown[] }).messages ?? []);
      return;
    }
    const begun = endings[type];
    if (begun !== undefined) {
      const [end, name] = begun;
      const own = { [name]: event[name], ...(subagentRunId !== undefined && { subagentRunId }) };
      this.#open.set(keyOf(name, event, end), { type: end, ...own });
    }
    const ended = names.get(type);
    if (ended !== undefined) this.#open.delete(keyOf(ended, event, type));
    if (toolCallId === undefined) return;
    if (begins) {
      this.#arguments.set(toolCallId, new JsonEnd());
      if (!this.#calls.has(toolCallId)) this.#calls.set(toolCallId, toolCallName);
    }
    const grows = isChunk || type === 'TOOL_CALL_ARGS';
    if (grows && typeof delta === 'string') this.#arguments.get(toolCallId)?.add(delta);
    if (type !== 'TOOL_CALL_RESULT') return;
    this.#calls.delete(toolCallId);
    this.#outcomes.delete(toolCallId);
  }

  /** The client has put these messages in the place of its own. */
  #show(messages: readonly Shown[]): void {
    const open = new Map<string, string>();
    for (const { toolCalls = [], toolCallId } of messages) {
      for (const { id, function: called } of toolCalls) open.set(id, called?.name ?? '');
      if (toolCallId !== undefined) open.delete(toolCallId);
    }
    this.#calls = open;
    for (const { toolCallId: id } of messages) if (id !== undefined && !open.has(id)) this.#outcomes.delete(id);
  }

  /** The ends of what is open, the last to begin first; before that of a call that of its arguments. */
  ends(): readonly AgUiEvent[] {
    const open = [...this.#open.values()].reverse();
    return [
      ...this.#rest('TOOL_CALL_CHUNK', { toolCallId: this.#chunked }),
      ...open.flatMap((end) => [...this.#rest('TOOL_CALL_ARGS', end), end]),
    ];
  }

  /** What the arguments of a call lack. */
  #rest(type: string, end: { readonly toolCallId?: string | undefined }): readonly AgUiEvent[] {
    const delta = this.#arguments.get(end.toolCallId ?? '')?.rest ?? '';
    return delta === '' ? [] : [{ ...(end as object), type, delta }];
  }
}
