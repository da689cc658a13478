/**
 * The ways in which a program ends while a command runs: the person leaves, a supervisor terminates it, its window is closed, it is
 * killed. Who lives on, and what is left of the terminal. And a program that is taken up again after a stop.
 *
 * @module
 */
import { historyOf } from '../../model-server/reading/history.ts';
import { now } from '../../model-server/request-record.ts';
import { send } from '../outside/processes.ts';
import { NotApplicable } from '../stage/findings.ts';
import type { ProgramPromise } from '../profile.ts';
import type { Stage, StageScript } from '../stage/stage.ts';
import { judgeTold, speakAgain } from './after-stop.ts';
import type { Check } from './check.ts';

const hostile: StageScript = (request, n, stage) =>
  n === 1 ? { text: 'I run it.', toolCalls: [stage.shellCall(request, stage.commands.command)] } : 'Understood.';

/** A program whose command runs. */
async function working(stage: Stage): Promise<void> {
  await stage.say('begin');
  await stage.request(1);
  await stage.runs(() => stage.commands.areUp);
}

async function pidOf(stage: Stage): Promise<number> {
  const pid = await stage.driver.pid();
  if (pid === undefined) throw new NotApplicable('the program has no process of its own');
  return pid;
}

/** Who lives on, and whether the program has ended. */
async function judgeLeft(stage: Stage, promise: ProgramPromise, since: number, ends = true): Promise<void> {
  if (ends) {
    const hasEnded = await stage.until('the program ends', () => stage.driver.end !== undefined, stage.setup.goneMs);
    const ms = Math.round(now() - since);
    const code = String(stage.driver.end?.code);
    stage.find('fact', hasEnded, hasEnded ? `it ends with ${code}` : `it still runs after ${String(ms)} ms`, ms);
    if (hasEnded) await judgeTerminal(stage);
  }
  const { left, ms } = await stage.leftOfCommands(since);
  const alive = `alive after ${String(ms)} ms: ${left.join(', ')}`;
  stage.find(promise, left.length === 0, left.length === 0 ? 'nothing lives on' : alive, ms);
}

async function judgeTerminal(stage: Stage): Promise<void> {
  const left = await stage.driver.terminalLeft();
  if (left === undefined) return;
  const faults = [...left.modes, ...(left.isSameLine ? [] : ['the line settings (stty)'])];
  const sentence = faults.length === 0 ? 'the terminal is as it was' : `left on: ${faults.join(', ')}`;
  stage.find('terminal', faults.length === 0, sentence);
}

export const quit: Check = {
  name: 'quit',
  asks: 'Who lives on when the person leaves while a command runs, and is the terminal as it was?',
  why: 'Whoever leaves believes that it is over, and needs the shell that comes back.',
  script: hostile,
  async play(stage) {
    await working(stage);
    const at = now();
    await stage.driver.quit();
    stage.timeline.note('person', 'leaves', at);
    await judgeLeft(stage, 'tree-after-quit', at);
  },
};

export const terminate: Check = {
  name: 'terminate',
  asks: 'Who lives on after SIGTERM, and is the terminal as it was?',
  why: 'It is how supervisors, containers and a logout end a program.',
  script: hostile,
  async play(stage) {
    await working(stage);
    const pid = await pidOf(stage);
    const at = now();
    send(pid, 'SIGTERM');
    stage.timeline.note('system', 'sends SIGTERM', at);
    await judgeLeft(stage, 'tree-after-terminate', at);
  },
};

export const hangup: Check = {
  name: 'hangup',
  asks: 'Who lives on when the window is closed?',
  why: 'Nobody sees the program any more, so nobody can stop what it has left.',
  script: hostile,
  async play(stage) {
    await working(stage);
    const at = now();
    if (!stage.driver.hangUp()) throw new NotApplicable('it has no window');
    stage.timeline.note('person', 'closes the window', at);
    await judgeLeft(stage, 'tree-after-hangup', at, false);
  },
};

export const kill: Check = {
  name: 'kill',
  asks: 'Who lives on after SIGKILL?',
  why: 'Nothing of the program runs any more; only what it has arranged before can end its commands.',
  script: hostile,
  async play(stage) {
    await working(stage);
    const pid = await pidOf(stage);
    const at = now();
    send(pid, 'SIGKILL');
    stage.timeline.note('system', 'sends SIGKILL', at);
    await judgeLeft(stage, 'tree-after-kill', at, false);
  },
};

export const resume: Check = {
  name: 'resume',
  asks: 'Is a conversation that was stopped and left accepted when it is taken up again?',
  why: 'What was written down in the moment of a stop is all that the next day has.',
  script: hostile,
  async play(stage) {
    const command = stage.setup.profile.resume;
    if (command === undefined) throw new NotApplicable('the profile does not say how it is taken up again');
    if (command.some((word) => word.includes('{prompt}'))) throw new NotApplicable('every prompt of it is one');
    await working(stage);
    const at = await stage.stop();
    await stage.leftOfCommands(at);
    await stage.driver.quit();
    await stage.need('its end', () => stage.driver.end !== undefined, 8000);
    await stage.driver.close();
    await stage.start(command);
    const next = await speakAgain(stage);
    if (next === undefined) return;
    const isKept = historyOf(next).some(({ text }) => text.includes(`${stage.mark} begin`));
    stage.find('fact', isKept, isKept ? 'the conversation is there again' : 'the conversation is not there any more');
    judgeTold(stage, next, true);
  },
};
