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
  readonly subagentRunId?: string;
  readonly delta?: unknown;
}

/** What names a part, by what the types of its first event and of its last begin with. */
const names: Readonly<Record<string, 'messageId' | 'toolCallId' | 'stepName' | 'subagentRunId'>> = {
  TEXT_MESSAGE: 'messageId',
  TOOL_CALL: 'toolCallId',
  REASONING: 'messageId',
  REASONING_MESSAGE: 'messageId',
  STEP: 'stepName',
  SUBAGENT: 'subagentRunId',
};

/** The parts of one run. */
export class OpenParts {
  /** The end of each. */
  readonly #open = new Map<string, AgUiEvent>();

  /** The ends of what is open, the last to begin first. */
  get ends(): readonly AgUiEvent[] {
    return [...this.#open.values()].reverse();
  }

  /** An event was sent. */
  sent(event: AgUiEvent): void {
    const [, kind = '', how = ''] = /^(.+)_(START|STARTED|END|FINISHED|ERROR)$/.exec(event.type) ?? [];
    const name = names[kind];
    if (name === undefined) return;
    const { [name]: own, subagentRunId } = event;
    // Each sub-agent has steps of its own.
    const key = JSON.stringify([kind, own, kind === 'STEP' ? subagentRunId : null]);
    const type = `${kind}_${how === 'START' ? 'END' : 'FINISHED'}`;
    if (!how.startsWith('START')) this.#open.delete(key);
    else this.#open.set(key, { type, [name]: own, ...(subagentRunId !== undefined && { subagentRunId }) });
  }
}
