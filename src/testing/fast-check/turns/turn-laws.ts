/**
 * A naive model of turns: a book of what an agent and its sub-agents tell of themselves, and the laws that it has to keep.
 *
 * @module
 */
import type { InterruptController, InterruptEvent, TurnReport } from '../../../index.ts';

/**
 * What {@link watchTurnLaws} has seen so far. Every function is bound.
 *
 * @since 0.1.0
 */
export interface TurnLaws {
  /** The laws that did not hold, each in a sentence. */
  readonly broken: readonly string[];
  /** The names of what runs, according to the book. */
  readonly running: () => readonly string[];
  /** Holds the report of a turn of this agent against the book, as soon as it is there. */
  readonly report: (turnId: number, report: TurnReport<unknown>) => void;
  /** Nothing more will come: turns that have not ended are broken laws. Stops watching. */
  readonly close: () => readonly string[];
}

interface BookedTurn {
  readonly name: string;
  starts: number;
  ends: number;
  isStopping: boolean;
  /** How many calls were begun; some servers number them anew in each reply, so that ids come again. */
  tools: number;
  /** Calls that have an outcome. */
  readonly outcomes: string[];
  readonly operations: Map<string, BookedOperation>;
}

interface BookedOperation {
  readonly name: string;
  /** `abandoned` runs on. */
  state: 'running' | 'abandoned' | 'ended';
  /** The law that its start broke, unless it turns out that it was refused. */
  wrong: string | undefined;
}

/** What a turn starts itself; what a call tracks while it cleans up may come after a stop. */
const started: ReadonlySet<string> = new Set(['model', 'tool', 'subagent']);

function newTurn(name: string): BookedTurn {
  return { name, starts: 0, ends: 0, isStopping: false, tools: 0, outcomes: [], operations: new Map() };
}

/**
 * Watches an agent and all its sub-agents, and holds what they tell against these laws: a turn begins and ends once; one
 * agent has one turn at a time; a call has one outcome; nothing is started after the stop of its turn or after its end;
 * nothing is told of a turn that has ended but what came late; a report names exactly what the book knows to be running.
 *
 * It knows what an agent tells. What your own code starts outside of its turn, it cannot see.
 *
 * @checkpoint never
 * @cleanup `close()` takes the listener back.
 * @param agent The agent, before its first turn.
 * @returns The book.
 * @example
 * ```ts
 * import { delay, InterruptController } from 'desist'
 * import { VirtualClock } from 'desist/testing'
 * import { watchTurnLaws } from 'desist/testing/fast-check'
 *
 * const clock = new VirtualClock()
 * const agent = new InterruptController({ clock })
 * const laws = watchTurnLaws(agent)
 * const running = agent.runTurn((turn) => turn.tool({ id: 'c1', name: 'wait' }, (_, { token }) => delay(token, 60_000)))
 * await clock.advance(0)
 * laws.running() // => ['wait']
 * agent.cancel()
 * laws.report(1, await running)
 * laws.close() // => []
 * ```
 * @since 0.1.0
 */
export function watchTurnLaws(agent: Pick<InterruptController, 'onEvent' | 'instanceId'>): TurnLaws {
  const broken: string[] = [];
  const turns = new Map<string, BookedTurn>();
  const law = (holds: boolean, text: string): void => {
    if (!holds) broken.push(text);
  };

  const turnOf = ({ agent: name, instanceId }: InterruptEvent, turnId: number): BookedTurn => {
    const key = `${instanceId} ${String(turnId)}`;
    const known = turns.get(key);
    if (known !== undefined) return known;
    const turn = newTurn(`turn ${String(turnId)} of ${name}`);
    turns.set(key, turn);
    return turn;
  };

  function begin(event: InterruptEvent, turn: BookedTurn): void {
    turn.starts += 1;
    law(turn.starts === 1, `${turn.name} began ${String(turn.starts)} times`);
    const others = [...turns].filter(
      ([key, other]) => other !== turn && key.startsWith(`${event.instanceId} `) && other.starts > other.ends,
    );
    law(others.length === 0, `${turn.name} began while ${others[0]?.[1].name ?? ''} was running`);
  }

  function start(
    turn: BookedTurn,
    operation: { readonly id: string; readonly kind: string; readonly name: string },
  ): void {
    const { id, kind, name } = operation;
    const isOutside = turn.starts === 0 || turn.ends > 0;
    let wrong: string | undefined;
    if (started.has(kind) && turn.isStopping) wrong = `${name} was started after the stop of ${turn.name}`;
    else if (started.has(kind) && isOutside) wrong = `${name} was started outside of ${turn.name}`;
    if (kind === 'tool') turn.tools += 1;
    turn.operations.set(id, { name, state: 'running', wrong });
  }

  function hear(event: InterruptEvent): void {
    if (!('turnId' in event) || event.turnId === undefined) return;
    const turn = turnOf(event, event.turnId);
    switch (event.type) {
      case 'turn-started':
        begin(event, turn);
        return;
      case 'turn-stopping':
        turn.isStopping = true;
        return;
      case 'operation-started':
        start(turn, { id: event.operationId, kind: event.operationKind, name: event.name });
        return;
      case 'operation-ended': {
        const operation = turn.operations.get(event.operationId);
        if (event.isLate !== true) law(turn.ends === 0, `${operation?.name ?? ''} ended after the end of ${turn.name}`);
        if (operation === undefined) return;
        operation.state = event.outcome === 'abandoned' ? 'abandoned' : 'ended';
        // What was refused has a row as well, and nothing of it ran.
        if (event.outcome === 'not-started') operation.wrong = undefined;
        return;
      }
      case 'tool-outcome':
        law(
          !turn.outcomes.includes(event.outcome.id) || turn.outcomes.length < turn.tools,
          `call ${event.outcome.id} has two outcomes`,
        );
        law(turn.ends === 0, `call ${event.outcome.id} has an outcome after the end of ${turn.name}`);
        turn.outcomes.push(event.outcome.id);
        return;
      case 'turn-ended': {
        turn.ends += 1;
        law(turn.ends === 1, `${turn.name} ended ${String(turn.ends)} times`);
        for (const { name, state } of turn.operations.values())
          law(state !== 'running', `${name} runs on behind the end of ${turn.name}`);
        return;
      }
      default:
        return;
    }
  }

  const registration = agent.onEvent(hear, { operations: true });

  const runningOf = (turn: BookedTurn): string[] =>
    [...turn.operations.values()].filter(({ state }) => state !== 'ended').map(({ name }) => name);

  const running = (): string[] => [...turns.values()].flatMap(runningOf);

  return {
    broken,
    running,
    report(turnId, { calls, stop }) {
      const turn = turns.get(`${agent.instanceId} ${String(turnId)}`);
      law(turn?.ends === 1, `turn ${String(turnId)} has a report before its end`);
      if (turn === undefined) return;
      const [rows, told] = [calls.map(({ id }) => id).sort(), [...turn.outcomes].sort()].map((ids) => ids.join(', '));
      law(
        rows === told,
        `the report of ${turn.name} has rows of ${String(rows)}; outcomes were told of ${String(told)}`,
      );
      if (stop === undefined) return;
      const [named, runs] = [stop.abandoned, running()].map((names) => [...names].sort().join(', '));
      law(named === runs, `the report of ${turn.name} names [${String(named)}]; what runs is [${String(runs)}]`);
    },
    close() {
      registration.unregister();
      for (const { name, ends, operations } of turns.values()) {
        law(ends === 1, `${name} ended ${String(ends)} times`);
        for (const { wrong } of operations.values()) law(wrong === undefined, wrong ?? '');
      }
      return broken;
    },
  };
}
