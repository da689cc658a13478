/**
 * What a run has begun to say and not ended: its client refuses the end of a run before the end of its parts.
 *
 * @module
 */

/** An event of the protocol. */
export interface AgUiEvent {
  readonly type: string;
  readonly messageId?: string;
  readonly toolCallId?: string;
  readonly toolCallName?: string;
  readonly stepName?: string;
}

/** What begins by which event, and what is its name there. */
const begins: Readonly<Record<string, readonly [end: string, id: 'messageId' | 'toolCallId' | 'stepName']>> = {
  TEXT_MESSAGE_START: ['TEXT_MESSAGE_END', 'messageId'],
  TOOL_CALL_START: ['TOOL_CALL_END', 'toolCallId'],
  REASONING_START: ['REASONING_END', 'messageId'],
  REASONING_MESSAGE_START: ['REASONING_MESSAGE_END', 'messageId'],
  STEP_STARTED: ['STEP_FINISHED', 'stepName'],
};

/** What shows a call. In chunks there is no end: the client makes it, at whatever comes next. */
const shows = new Set(['TOOL_CALL_START', 'TOOL_CALL_CHUNK']);

const ends = new Set(Object.values(begins).map(([end]) => end));

/** The parts of one run. */
export class OpenParts {
  readonly #open = new Map<string, AgUiEvent>();
  readonly #calls = new Map<string, string>();

  /** The calls without a result: their names by their ids. */
  get calls(): ReadonlyMap<string, string> {
    return this.#calls;
  }

  /** An event was sent. */
  sent({ type, messageId, toolCallId, toolCallName = '', stepName }: AgUiEvent): void {
    const begun = begins[type];
    const id = { messageId, toolCallId, stepName };
    if (begun !== undefined) {
      const [end, name] = begun;
      this.#open.set(`${end} ${id[name] ?? ''}`, { type: end, [name]: id[name] ?? '' });
    }
    if (ends.has(type)) {
      for (const one of Object.values(id)) if (one !== undefined) this.#open.delete(`${type} ${one}`);
    }
    if (toolCallId === undefined) return;
    if (shows.has(type) && !this.#calls.has(toolCallId)) this.#calls.set(toolCallId, toolCallName);
    if (type === 'TOOL_CALL_RESULT') this.#calls.delete(toolCallId);
  }

  /** The ends of what is open, the last to begin first. */
  ends(): readonly AgUiEvent[] {
    return [...this.#open.values()].reverse();
  }
}
