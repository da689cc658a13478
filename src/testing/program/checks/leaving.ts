/**
 * The ways in which a program ends while it works: the person leaves, a supervisor terminates it, its window is closed, it is killed. Who
 * lives on, and what is left of the terminal. And a program that is taken up again after a stop.
 *
 * @module
 */
import { historyOf } from '../../model-server/reading/history.ts';
import { now } from '../../model-server/request-record.ts';
import { send, type ProcessRow } from '../outside/processes.ts';
import { NotApplicable } from '../stage/findings.ts';
import { takesOnePrompt, throughOf, type ProgramPromise } from '../profile.ts';
import { resultIn } from '../conversation/handed-out.ts';
import type { Stage } from '../stage/stage.ts';
import { judgeTerminal, judgeTold, speakAgain } from './after-stop.ts';
import { atWork, atWorkBehind, behindFinished, work } from './at-work.ts';
import type { Check } from './check.ts';

/** So often a person tries to leave, and for so long they wait each time, ms. */
const MOST_TIMES = 3;
const AGAIN_MS = 2000;

/** One way to end a program. */
interface Way extends Pick<Check, 'name' | 'asks' | 'why'> {
  readonly promise: ProgramPromise;
  /** Whose doing it is, and what the timeline says of it. */
  readonly who: 'person' | 'system';
  readonly what: string;
  /** Whether it lets the program put the terminal in order. */
  readonly isOrderly: boolean;
  readonly leave: (stage: Stage) => void | Promise<void>;
}

function leavingBy({ name, asks, why, promise, who, what, isOrderly, leave }: Way): Check {
  return {
    name,
    asks,
    why,
    script: work,
    async play(stage) {
      await atWork(stage);
      const own = await stage.ownProcesses();
      const at = now();
      await leave(stage);
      stage.timeline.note(who, what, at);
      const hasEnded = isOrderly && (await judgeEnd(stage, at));
      const living = await judgeLeft(stage, promise, at, own);
      if (hasEnded) await judgeTerminal(stage, living);
    },
  };
}

async function judgeEnd(stage: Stage, since: number): Promise<boolean> {
  const hasEnded = await stage.until(() => stage.driver.end !== undefined, stage.setup.goneMs);
  const ms = Math.round(now() - since);
  const code = String(stage.driver.end?.code);
  stage.find('fact', hasEnded, hasEnded ? `it ends with ${code}` : `it still runs after ${String(ms)} ms`, ms);
  return hasEnded;
}

/** Who lives on: the commands, the program itself – behind a launcher, for example – and whatever else it has started, also on its way out. */
async function judgeLeft(
  stage: Stage,
  promise: ProgramPromise,
  since: number,
  own: readonly ProcessRow[],
): Promise<readonly ProcessRow[]> {
  const { left, ms, living } = await stage.left(since, own);
  const alive = `alive after ${String(ms)} ms: ${left.join(', ')}`;
  stage.find(promise, left.length === 0, left.length === 0 ? 'nothing lives on' : alive, ms);
  return living;
}

/** Sends a signal to the program that was started, and to nobody else. */
async function signal(stage: Stage, name: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const pid = await stage.driver.pid();
  if (pid === undefined) throw new NotApplicable('the program has no process of its own');
  send(pid, name);
}

/** A person who sees that it is still there presses again: of two keys a slow machine may have made one and one. */
async function leaveIt(stage: Stage): Promise<void> {
  for (let times = 0; times < MOST_TIMES; times++) {
    if (times > 0) stage.timeline.note('person', 'leaves again, for it is still there');
    await stage.driver.quit();
    if (await stage.until(() => stage.driver.end !== undefined, AGAIN_MS)) return;
  }
}

export const quit: Check = leavingBy({
  name: 'quit',
  asks: 'Who lives on when the person leaves while it works, and is the terminal as it was?',
  why: 'Whoever leaves believes that it is over, and needs the shell that comes back.',
  promise: 'tree-after-quit',
  who: 'person',
  what: 'leaves',
  isOrderly: true,
  leave: async (stage) => {
    // Its input was at its end before it began.
    if (takesOnePrompt(stage.setup.profile))
      throw new NotApplicable('every prompt of it is one: who leaves presses stop');
    await leaveIt(stage);
  },
});

export const terminate: Check = leavingBy({
  name: 'terminate',
  asks: 'Who lives on after SIGTERM, and is the terminal as it was?',
  why: 'It is how supervisors, containers and a logout end a program.',
  promise: 'tree-after-terminate',
  who: 'system',
  what: 'sends SIGTERM',
  isOrderly: true,
  leave: (stage) => signal(stage, 'SIGTERM'),
});

export const hangup: Check = leavingBy({
  name: 'hangup',
  asks: 'Who lives on when the window is closed?',
  why: 'Nobody sees the program any more, so nobody can stop what it has left.',
  promise: 'tree-after-hangup',
  who: 'person',
  what: 'closes the window',
  isOrderly: false,
  leave: (stage) => {
    if (!stage.driver.hangUp()) throw new NotApplicable('it has no window');
  },
});

export const kill: Check = leavingBy({
  name: 'kill',
  asks: 'Who lives on after SIGKILL?',
  why: 'Nothing of the program runs any more; only what it has arranged before can end its commands.',
  promise: 'tree-after-kill',
  who: 'system',
  what: 'sends SIGKILL',
  isOrderly: false,
  leave: (stage) => signal(stage, 'SIGKILL'),
});

/** In the protocol a client loads a conversation, and needs no other command for it. */
function commandAgain({ driver, setup }: Stage): readonly string[] {
  const { resume: given, command } = setup.profile;
  if (throughOf(setup.profile) !== 'acp') {
    if (given === undefined) throw new NotApplicable('the profile does not say how it is taken up again');
    return given;
  }
  if (driver.session === undefined) throw new NotApplicable('it does not load sessions');
  return given ?? command;
}

export const resume: Check = {
  name: 'resume',
  asks: 'Is a conversation that was stopped and left accepted when it is taken up again?',
  why: 'What was written down in the moment of a stop is all that the next day has.',
  script: behindFinished(work),
  async play(stage) {
    const command = commandAgain(stage);
    if (takesOnePrompt({ command })) throw new NotApplicable('every prompt of it is one');
    await atWorkBehind(stage);
    const at = await stage.stop();
    await stage.left(at);
    await leaveIt(stage);
    await stage.need('its end', () => stage.driver.end !== undefined, 8000);
    await stage.driver.close();
    await stage.start(command);
    const next = await speakAgain(stage);
    if (next === undefined) return;
    const history = historyOf(next);
    const isKept =
      history.some(({ text }) => text.includes(`${stage.mark} begin`)) ||
      stage.conversation.calls.some((call) => resultIn(history, call) !== undefined);
    stage.find('fact', isKept, isKept ? 'the conversation is there again' : 'the conversation is not there any more');
    judgeTold(stage, next);
  },
};
