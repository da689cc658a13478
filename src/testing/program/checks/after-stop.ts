/**
 * What is asked after every stop: whether the model is left alone until the person speaks, whether the person can speak, and whether
 * what is sent then is legal and true.
 *
 * @module
 */
import { historyOf } from '../../model-server/reading/history.ts';
import { now, type ModelRequest } from '../../model-server/request-record.ts';
import { takesOnePrompt, throughOf } from '../profile.ts';
import type { GivenCall } from '../conversation/handed-out.ts';
import { nameOf } from '../stage/family.ts';
import { readsFrom, type ProcessRow } from '../outside/processes.ts';
import type { Stage } from '../stage/stage.ts';
import { toldOf } from '../conversation/told.ts';

/** What the model says to whatever is asked once the work is over, also by a program that asks on after a stop. */
export const UNDERSTOOD = 'Understood.';

/** What the person says after a stop. */
export const GO_ON = 'please go on';

/** Whether the person has said it in a request. */
export const saysGoOn = (request: ModelRequest): boolean =>
  historyOf(request).some(({ role, text }) => role === 'user' && text.includes(GO_ON));

const requests = (count: number): string => `${String(count)} request${count === 1 ? '' : 's'}`;

/** What the person has said, as far as a request passes it on. */
const saidIn = (request: ModelRequest, said: readonly string[]): readonly string[] => {
  const texts = historyOf(request).flatMap(({ role, text }) => (role === 'user' ? [text] : []));
  return said.filter((words) => texts.some((text) => text.includes(words)));
};

/** Whether a request brings nothing that the person had not been heard with before the stop: nobody but the program wants it. */
function isUnwanted(request: ModelRequest, { main, conversation: { said }, stopped }: Stage): boolean {
  const before = main.filter(({ receivedAt }) => receivedAt <= (stopped?.at ?? 0));
  const heard = new Set(before.flatMap((each) => saidIn(each, said)));
  return saidIn(request, said).every((words) => heard.has(words));
}

/** Watches for a while: nobody but the person begins something new. */
export async function expectSilence(stage: Stage, stoppedAt: number): Promise<void> {
  await stage.watch();
  // Whoever is stopped waits for a reply, for a command or for a time: nothing of it is under way in the moment of the key.
  const late = stage.server.requests.filter(({ receivedAt }) => receivedAt > stoppedAt);
  // Also one that was refused, and so never reached the script.
  const main = late.filter((request) => stage.conversation.isOf(request));
  const unwanted = main.filter((request) => isUnwanted(request, stage));
  const [first] = unwanted;
  stage.find(
    'silence',
    first === undefined,
    first === undefined
      ? 'no request of the conversation until the person speaks'
      : `${requests(unwanted.length)} of the conversation after the stop, the first after ${String(Math.round(first.receivedAt - stoppedAt))} ms`,
  );
  if (late.length > main.length) {
    stage.find('fact', true, `${requests(late.length - main.length)} beside the conversation after the stop`);
  }
}

/** The person speaks again; `undefined` if the program does not pass it on. */
export async function speakAgain(stage: Stage, words: string = GO_ON): Promise<ModelRequest | undefined> {
  const { driver, main } = stage;
  if (!(await judgeEnd(stage)) || !(await judgeAnswer(stage))) return undefined;
  const before = main.length;
  const said = await stage.say(words);
  const carries = (request: ModelRequest): boolean =>
    historyOf(request).some(({ role, text }) => role === 'user' && text.includes(said));
  const sent = (): ModelRequest | undefined => main.slice(before).find(carries) ?? refusedWith(stage, said);
  await stage.until(() => sent() !== undefined || driver.end !== undefined, 8000);
  const next = sent();
  const unwanted = main.slice(before).filter((request) => isUnwanted(request, stage));
  if (unwanted.length > 0) {
    const sentence = `${requests(unwanted.length)} of the conversation, before the next prompt, without anything that the person has said`;
    stage.find('silence', false, sentence);
  }
  if (next === undefined && stage.server.requests.some(carries)) {
    stage.find('fact', false, 'the next prompt reaches the model only beside the conversation, as it seems');
    return undefined;
  }
  stage.find(
    'prompt',
    next !== undefined,
    next === undefined ? 'the next prompt never reached the model' : 'the next prompt reaches the model',
  );
  if (next === undefined) return undefined;
  // A program that is refused may try again; the first answer is what counts.
  await stage.until(() => next.finishedAt !== undefined || next.closedAt !== undefined, 5000);
  const { refusal } = next;
  stage.find('legal', refusal === undefined, refusal ?? 'its history is legal for its provider');
  return next;
}

/** Where a prompt has an answer, a client waits for it before a person can say the next thing; `false` if it never came. */
async function judgeAnswer(stage: Stage): Promise<boolean> {
  const { driver } = stage;
  if (driver.answer === undefined) return true;
  await stage.until(() => driver.answer?.how !== undefined, 8000);
  const { how } = driver.answer;
  if (how === undefined) stage.find('prompt', false, 'the stopped prompt is never answered: its client still waits');
  else stage.find('fact', how === 'cancelled', `the stopped prompt is answered with ${how}`);
  return how !== undefined;
}

/** Why a program takes one prompt only, in words: its profile says it, or that is how it looked. */
export function onlyPromptOf({ setup: { profile, known } }: Stage): string | undefined {
  if (takesOnePrompt(profile)) return 'it takes one prompt, and ends';
  if (known?.endsWithAnswer !== true) return undefined;
  return 'it ended with 0 once its first prompt was answered, and is taken for a program of one';
}

/**
 * Whether a person can say something more. A program that takes one prompt ends with the stop, or gives its shell no prompt again; one on a
 * pipe may end, as a signal ends all that do not ask for it.
 */
async function judgeEnd(stage: Stage): Promise<boolean> {
  const { driver, main, setup, stopped } = stage;
  const takesOne = takesOnePrompt(setup.profile);
  const isOver = async (): Promise<boolean> => driver.end !== undefined || (await driver.pid()) === undefined;
  if (takesOne && !(await stage.until(isOver, setup.goneMs))) {
    const ms = Math.round(now() - (stopped?.at ?? now()));
    stage.find('prompt', false, 'the program still runs after the stop: its prompt never comes back', ms);
    return false;
  }
  if (driver.canGoOn) return true;
  const isToEnd = onlyPromptOf(stage) !== undefined;
  const about = isToEnd || throughOf(setup.profile) === 'lines' ? 'fact' : 'prompt';
  const { at } = driver.end ?? { at: now() };
  const since = stopped?.at ?? at;
  // Who has heard the model out has ended by itself.
  const isHeardOut = main.some(({ closedAt = 0, closedEarly }) => closedAt > since && !closedEarly);
  const how = isHeardOut ? 'once the model had said all, and not with the stop' : 'with the stop';
  const ms = Math.max(0, Math.round(at - since));
  const code = driver.end === undefined ? '' : ` (exit code ${String(driver.end.code)})`;
  stage.find(about, isToEnd && !isHeardOut, `the program has ended ${how}${code}: there is no next prompt`, ms);
  if (driver.end !== undefined) await judgeTerminal(stage, await stage.ownProcesses());
  return false;
}

/** What is left of the terminal, unless somebody still has it: a program whose launcher has ended alone has left nothing yet. */
export async function judgeTerminal(stage: Stage, living: readonly ProcessRow[]): Promise<void> {
  const left = await stage.driver.terminalLeft();
  if (left === undefined) return;
  const holder = living.find(({ pid }) => readsFrom(pid, left.path));
  if (holder !== undefined) {
    stage.find('fact', false, `what it leaves of the terminal is not known: ${nameOf(holder)} still reads from it`);
    return;
  }
  if (left.line === undefined) {
    stage.find('fact', false, 'what it leaves of the terminal is not known: nobody can be asked any more');
    if (left.modes.length === 0) return;
  }
  const faults = [...left.modes, ...(left.line ?? []).map((setting) => `stty ${setting}`)];
  const sentence = faults.length === 0 ? 'the terminal is as it was' : `left: ${faults.join(', ')}`;
  stage.find('terminal', faults.length === 0, sentence);
}

/** Whatever the program has sent of the conversation has to be legal. */
export function judgeRefusals(stage: Stage): void {
  const { server, conversation } = stage;
  const refused = server.requests.find((request) => request.refusal !== undefined && conversation.isOf(request));
  if (refused?.refusal !== undefined) stage.find('legal', false, refused.refusal);
}

/** What is refused never reaches the script, so it is looked up in the record. */
function refusedWith({ server }: Stage, said: string): ModelRequest | undefined {
  return server.requests.find(
    (request) => request.refusal !== undefined && historyOf(request).some(({ text }) => text.includes(said)),
  );
}

/**
 * What that request says of the turn that was stopped.
 *
 * @param calls Its calls that were stopped; by default those that were open when stop was pressed.
 */
export function judgeTold(
  stage: Stage,
  next: ModelRequest | undefined,
  calls: readonly GivenCall[] = stage.stopped?.calls ?? [],
): void {
  if (next === undefined) {
    if (stage.setup.profile.promises?.includes('told') !== true) return;
    stage.find('fact', false, 'whether the model is told of the stop is not known: no next prompt reached it');
    return;
  }
  const { conversation, stopped: { at } = { at: 0 } } = stage;
  const earlier = stage.main.filter(({ receivedAt }) => receivedAt <= at).map(historyOf);
  const told = toldOf(historyOf(next), {
    prompt: `${stage.mark} begin`,
    earlier,
    said: conversation.said,
    calls: conversation.calls,
    stopped: calls,
  });
  stage.words.push(...told.words);
  if (!told.isKept) {
    stage.find('told', false, 'the stopped turn is not in the history: the model does not know of it');
    return;
  }
  const isUnclear = told.unclear !== undefined && told.isFalse !== true;
  if (isUnclear) {
    stage.find('fact', false, `it is said of a stopped call: “${told.unclear.replace(/\s+/g, ' ').slice(0, 160)}”`);
  } else if (told.isFalse !== undefined) {
    stage.find(
      'honest',
      !told.isFalse,
      told.isFalse ? 'a stopped call is told as a finished one' : 'no stopped call is told as finished',
    );
  }
  const silence = isUnclear ? 'no known words of a stop are said to the model' : 'the model is not told of the stop';
  stage.find('told', told.isTold, told.isTold ? 'the model is told of the stop' : silence);
}
