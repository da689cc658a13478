/**
 * What ESC and Ctrl+C mean, as a pure function: what was pressed before, what is pressed now, and what the target does
 * give the next state and the effects.
 *
 * Invariants:
 * - **P1** A press while a cancel runs escalates; it never cancels a second time.
 * - **P2** Instants are those of the bytes' arrival, so a delay in deciding does not stretch a double press.
 * - **P3** An ESC right after a run's end was meant for the run: it is swallowed, starts nothing, and is half of no pair.
 * - **P4** A pair is two presses of one key with no other key and no start of a run between them; of ESC, no end of one either.
 * - **P5** An ESC that came before the run is not meant for it, however late it is decided.
 * - **P6** Nor is a Ctrl+C half of a pair once a run has begun: the next one stops that. Three within `leaveMs` leave all the
 *   same, or a program that begins one run after the other could not be left.
 *
 * Prior art: xstate's pure `transition`, where effects are data.
 *
 * @module
 */

/** What the target does; `unknown` where it does not tell. */
export type Doing = 'idle' | 'running' | 'interjecting' | 'cancelling' | 'killing' | 'unknown';

/**
 * What ESC does: `single` cancels, and within `doubleMs` kills · `double` the second within `doubleMs` cancels, one
 * more kills · `tiered` cancels, and kills as long as that cancel is under way, however much later.
 *
 * @since 0.1.0
 */
export type EscapeMode = 'single' | 'double' | 'tiered';

/**
 * What one more ESC within `doubleMs` would do: `idle` stands for `onIdleDoubleEscape`.
 *
 * @since 0.1.0
 */
export type NextEscape = 'cancel' | 'kill' | 'idle';

/** What to do now. */
export type PressEffect = 'cancel' | 'kill' | 'leave' | 'idle-escape';

/** What happened. */
export type PressEvent =
  | {
      readonly type: 'escape';
      readonly at: number;
      /** Of one that is decided late: when all that came before it was handled. A run that began since is not meant. */
      readonly notedAt?: number | undefined;
      readonly repeat: boolean;
      readonly doing: Doing;
    }
  | { readonly type: 'interrupt'; readonly at: number; readonly doing: Doing }
  /** Any other key. */
  | { readonly type: 'other' }
  /** A stop is for another target now. */
  | { readonly type: 'switched' }
  /** A run began or ended. */
  | { readonly type: 'turned'; readonly at: number; readonly busy: boolean }
  /** The hint has been shown for `doubleMs`. A late decision may still find the pair: P2. */
  | { readonly type: 'hint-expired' }
  /** The first Ctrl+C of a pair is too long ago, or another key came between. */
  | { readonly type: 'leave-expired' };

/** How the machine is set. */
export interface PressSettings {
  readonly escape: EscapeMode;
  readonly doubleMs: number;
  readonly leaveMs: number;
  /** ESC ESC means something while nothing runs. */
  readonly idleEscape: boolean;
}

/** What is remembered. Instants are `-Infinity` where there is nothing to remember. */
export interface PressState {
  readonly escapedAt: number;
  /** The Ctrl+C that may be the first of a pair. */
  readonly interruptedAt: number;
  /** The last one and the one before, whatever has begun since. */
  readonly lastInterrupts: readonly [number, number];
  /** When the last run began, and when it ended. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** When the target was last told to cancel: all that is known of one that does not tell what it does. */
  readonly cancelledAt: number;
  readonly nextEscape: NextEscape | undefined;
}

/** The next state, what to do, and whether the key was ours. */
export interface PressStep {
  readonly state: PressState;
  readonly effects: readonly PressEffect[];
  readonly mine: boolean;
}

/** Nothing was pressed yet. */
export const untouched: PressState = {
  escapedAt: -Infinity,
  interruptedAt: -Infinity,
  lastInterrupts: [-Infinity, -Infinity],
  startedAt: -Infinity,
  endedAt: -Infinity,
  cancelledAt: -Infinity,
  nextEscape: undefined,
};

/** A person sees the end of a run and lets go of the key no faster than this. */
const SWALLOW_MS = 400;

const noPair = { escapedAt: -Infinity, nextEscape: undefined } as const;
const noInterrupt = { interruptedAt: -Infinity, lastInterrupts: untouched.lastInterrupts } as const;

/** Whether an ESC at this instant would be taken for one that came too late for the last run. */
export function swallows(state: PressState, at: number): boolean {
  return at - state.endedAt < SWALLOW_MS;
}

/** The machine. */
export function press(state: PressState, event: PressEvent, settings: PressSettings): PressStep {
  switch (event.type) {
    case 'escape':
      return escape({ ...state, ...noInterrupt }, event, settings);
    case 'interrupt':
      return interrupt({ ...state, ...noPair }, event, settings);
    case 'other':
      return quiet({ ...state, ...noPair, ...noInterrupt });
    case 'switched':
      return quiet({ ...untouched, interruptedAt: state.interruptedAt, lastInterrupts: state.lastInterrupts });
    case 'turned':
      return quiet({
        ...state,
        ...noPair,
        ...(event.busy ? { startedAt: event.at, interruptedAt: -Infinity } : { endedAt: event.at }),
      }); // P4, P6
    case 'hint-expired':
      return quiet({ ...state, nextEscape: undefined });
    case 'leave-expired':
      return quiet({ ...state, ...noInterrupt });
  }
}

function quiet(state: PressState, mine = true): PressStep {
  return { state, effects: [], mine };
}

function escape(
  state: PressState,
  { at, notedAt, repeat, doing }: Extract<PressEvent, { readonly type: 'escape' }>,
  settings: PressSettings,
): PressStep {
  if (notedAt !== undefined && notedAt < state.startedAt) return quiet({ ...state, ...noPair }); // P5
  if (doing === 'idle' && swallows(state, at)) return quiet({ ...state, ...noPair }); // P3
  if (repeat) return quiet(state, doing !== 'idle');
  const isSecond = at - state.escapedAt <= settings.doubleMs; // P2
  const first = (nextEscape: NextEscape | undefined): PressState => ({ ...state, escapedAt: at, nextEscape });
  switch (known(state, at, doing, settings.doubleMs)) {
    case 'idle':
      if (!settings.idleEscape) return quiet(state, false);
      if (!isSecond) return quiet(first('idle'), false);
      return { state: { ...state, ...noPair }, effects: ['idle-escape'], mine: true };
    case 'cancelling':
      if (!isSecond && settings.escape !== 'tiered') return quiet(first('kill'));
      return { state: first(undefined), effects: ['kill'], mine: true }; // P1
    case 'killing':
      return quiet(first(undefined));
    default:
      if (settings.escape === 'double' && !isSecond) return quiet(first('cancel'));
      return { state: { ...first('kill'), cancelledAt: at }, effects: ['cancel'], mine: true };
  }
}

function interrupt(
  state: PressState,
  { at, doing }: { readonly at: number; readonly doing: Doing },
  { leaveMs }: PressSettings,
): PressStep {
  const [last, before] = state.lastInterrupts;
  if (at - state.interruptedAt < leaveMs || at - before < leaveMs) {
    const effects: PressEffect[] = doing === 'idle' ? ['leave'] : ['kill', 'leave'];
    return { state: { ...state, ...noInterrupt }, effects, mine: true };
  }
  const armed: PressState = { ...state, interruptedAt: at, lastInterrupts: [at, last] };
  switch (known(state, at, doing, leaveMs)) {
    case 'idle':
    case 'killing':
      return quiet(armed);
    case 'cancelling':
      return { state: armed, effects: ['kill'], mine: true }; // P1
    default:
      return { state: { ...armed, cancelledAt: at }, effects: ['cancel'], mine: true };
  }
}

/** A target that does not tell what it does is cancelling for a while after it was told to, else it runs. */
function known(state: PressState, at: number, doing: Doing, ms: number): Exclude<Doing, 'unknown'> {
  if (doing !== 'unknown') return doing;
  return at - state.cancelledAt <= ms ? 'cancelling' : 'running';
}
