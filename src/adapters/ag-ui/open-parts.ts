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

/** A message of a snapshot, as far as calls concern it. */
interface Shown {
  readonly toolCallId?: string;
  readonly toolCalls?: readonly {
    readonly id: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

/** A call as the client has it. */
interface Asked {
  readonly name: string;
  /** Its arguments. */
  readonly json: JsonEnd;
  readonly isAnswered: boolean;
}

/** The parts of one run. */
export class OpenParts {
  readonly #open = new Map<string, AgUiEvent>();
  readonly #calls = new Map<string, Asked>();
  /** The last outcome of each id of which no result has told: some models begin again with each reply. */
  readonly #outcomes = new Map<string, ToldOutcome>();
  /** The call that chunks without an id belong to. */
  #chunked: string | undefined;

  /** The calls without a result, with what became of them if they have run. */
  get calls(): readonly { readonly id: string; readonly name: string; readonly outcome: ToldOutcome | undefined }[] {
    const open = [...this.#calls].filter(([, { isAnswered }]) => !isAnswered);
    return open.map(([id, { name }]) => ({ id, name, outcome: this.#outcomes.get(id) }));
  }

  /** A call of the turn has ended, or was not to begin. */
  ended(outcome: ToldOutcome): void {
    this.#outcomes.set(outcome.id, outcome);
  }

  /** An event was sent. */
  sent(event: AgUiEvent): void {
    const { type, toolCallName, subagentRunId, delta } = event;
    const isChunk = type === 'TOOL_CALL_CHUNK';
    const { toolCallId = isChunk ? this.#chunked : undefined } = event;
    if (isChunk) this.#chunked = toolCallId;
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
    if (isChunk || type === 'TOOL_CALL_START') this.#ask(toolCallId, toolCallName);
    const grows = isChunk || type === 'TOOL_CALL_ARGS';
    if (grows && typeof delta === 'string') this.#calls.get(toolCallId)?.json.add(delta);
    if (type !== 'TOOL_CALL_RESULT') return;
    this.#answer(toolCallId);
    this.#outcomes.delete(toolCallId);
  }

  /** A call is shown; one whose id the client has goes on where that stands. Returns its arguments. */
  #ask(id: string, name?: string): JsonEnd {
    const { name: was = '', json = new JsonEnd() } = this.#calls.get(id) ?? {};
    this.#calls.set(id, { name: name ?? was, json, isAnswered: false });
    return json;
  }

  #answer(id: string): void {
    const asked = this.#calls.get(id);
    if (asked !== undefined) this.#calls.set(id, { ...asked, isAnswered: true });
  }

  /** The client has put these messages in the place of its own. */
  #show(messages: readonly Shown[]): void {
    this.#calls.clear();
    for (const { toolCalls = [], toolCallId } of messages) {
      for (const { id, function: called } of toolCalls) this.#ask(id, called?.name).add(called?.arguments ?? '{}');
      if (toolCallId !== undefined) this.#answer(toolCallId);
    }
    for (const { toolCallId: id } of messages) {
      if (id !== undefined && this.#calls.get(id)?.isAnswered !== false) this.#outcomes.delete(id);
    }
  }

  /**
   * The ends of what is open, the last to begin first; before that of a call what its arguments lack.
   *
   * @param wasCut Whether calls that are not open lack something too: each goes on in a chunk, which begins it again where it stands.
   */
  ends(wasCut: boolean): readonly AgUiEvent[] {
    const open = [...this.#open.values()].reverse();
    const begun = new Set(open.map(({ toolCallId }) => toolCallId));
    const others = [...this.#calls].filter(([id]) => wasCut && !begun.has(id));
    return [
      ...others.flatMap(([id, { name }]) =>
        this.#rest({ type: 'TOOL_CALL_CHUNK', toolCallId: id, toolCallName: name }),
      ),
      ...open.flatMap((end) => [...this.#rest({ ...end, type: 'TOOL_CALL_ARGS' }), end]),
    ];
  }

  /** What the arguments of a call lack, as an event. */
  #rest(event: AgUiEvent): readonly AgUiEvent[] {
    const delta = this.#calls.get(event.toolCallId ?? '')?.json.rest ?? '';
    return delta === '' ? [] : [{ ...event, delta }];
  }
}
