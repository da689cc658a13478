/**
 * A message that is typed while the program works, and a server of tools that answers nobody.
 *
 * @module
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { delay } from '../../../index.ts';
import { historyOf } from '../../model-server/reading/history.ts';
import { toolsOf, type RequestTool } from '../../model-server/reading/request-tools.ts';
import { now, type ModelRequest } from '../../model-server/request-record.ts';
import { DEAF_TOOL } from '../outside/deaf-mcp-server.ts';
import { throughOf } from '../profile.ts';
import { NotApplicable, Unplayed } from '../stage/findings.ts';
import { noTool } from '../stage/named-tools.ts';
import type { Stage, StageScript } from '../stage/stage.ts';
import { withoutNumbers } from '../conversation/told.ts';
import { expectSilence, judgeRefusals, judgeTold, onlyPromptOf, speakAgain, UNDERSTOOD } from './after-stop.ts';
import { atWork, isRunner, story, work } from './at-work.ts';
import type { Check } from './check.ts';

const ALSO = 'also-this';
/** Of the reply in which it is typed, where there is no command: half of them before. */
const WORDS = 80;

/** How often a request says something, in whatever place. */
function timesSaid(request: ModelRequest, words = ALSO): number {
  const texts = historyOf(request).filter(({ role, kind }) => role !== 'assistant' && kind !== 'call');
  return texts.reduce((sum, { text }) => sum + text.split(words).length - 1, 0);
}

/**
 * How often the message has arrived, at most. A program that says each prompt more than once, as to remind the model, has said it once; and of
 * one that no request of the conversation has, what is beside it may be one.
 */
function timesArrived({ mark, main, server }: Stage): number {
  const most = (requests: readonly ModelRequest[], words?: string): number =>
    Math.max(0, ...requests.map((request) => timesSaid(request, words)));
  const times = most(main) || most(server.requests);
  return times > 1 && times === most(main, `${mark} begin`) ? 1 : times;
}

/** What the screen says of the message: its lines without what only frames them. */
const linesSaying = (screen: string): readonly string[] =>
  screen
    .split('\n')
    .filter((line) => line.includes(ALSO))
    .map((line) => line.replace(/[^\p{L}\p{N}-]+/gu, ' ').trim());

const notesOf = ({ folder }: Stage): { readonly up: string; readonly go: string } => ({
  up: join(folder, 'up'),
  go: join(folder, 'go'),
});

/** A command that runs until a file is there. */
function waitingCommand(stage: Stage): string {
  const script = join(stage.folder, 'wait.sh');
  const { up, go } = notesOf(stage);
  writeFileSync(script, `touch '${up}'\nwhile [ ! -e '${go}' ]; do sleep 0.05; done\necho done\n`);
  return `sh ${script}`;
}

/** Work that lasts until {@link endWork}: however slow the machine is, what is said before that is said while the program works. */
const lasting: StageScript = (request, n, stage) => {
  if (n > 1) return UNDERSTOOD;
  if (!isRunner(request, stage)) return { ...story(WORDS), silentAfter: WORDS / 2, silentUntil: stage.held.promise };
  return { text: 'I wait.', toolCalls: stage.shellCalls(request, waitingCommand(stage)) };
};

function endWork(stage: Stage): void {
  writeFileSync(notesOf(stage).go, '');
  stage.held.resolve();
  stage.timeline.note('system', 'the work may end');
}

/** Whether the program waits for that no longer: it has asked on, or left the reply. */
function isOver({ conversation: { steps } }: Stage): boolean {
  return steps.length > 1 || steps[0]?.closedEarly === true;
}

/** Who cannot be spoken to while it works has no such message. */
function needsInput(stage: Stage): void {
  if (throughOf(stage.setup.profile) === 'acp')
    throw new NotApplicable('the protocol has no message for a turn that runs');
  const only = onlyPromptOf(stage);
  if (only !== undefined) throw new NotApplicable(only);
}

export const message: Check = {
  name: 'message',
  asks: 'Is a message that is typed while it works delivered once?',
  why: 'People correct an agent while it works; a lost correction is worse than none, for they believe it was heard.',
  script: lasting,
  async play(stage) {
    needsInput(stage);
    await atWork(stage, () => existsSync(notesOf(stage).up));
    await stage.say(ALSO);
    if (isOver(stage))
      throw new NotApplicable('it waits for no reply and for no command: nobody speaks while it works');
    await stage.watch(300);
    endWork(stage);
    await stage.until(() => stage.main[0]?.closedAt !== undefined, 5000);
    const delivered = await stage.until(() => timesArrived(stage) > 0, 5000);
    await stage.watch();
    judgeRefusals(stage);
    const times = timesArrived(stage);
    const isKept = !delivered && stage.driver.screen.includes(ALSO) && (await isStillInTheInput(stage));
    const sentence = isKept ? 'it stays in the input, and goes with the next Return' : deliveredTimes(times);
    stage.find('delivered', times === 1 || isKept, sentence);
  },
};

const deliveredTimes = (times: number): string => `delivered ${String(times)} time${times === 1 ? '' : 's'}`;

/** Return, and nothing else: what was typed is sent now, or it was never there. */
async function isStillInTheInput(stage: Stage): Promise<boolean> {
  await stage.driver.press([stage.setup.profile.submit ?? '\r']);
  return stage.until(() => timesArrived(stage) === 1, 3000);
}

/** Who sends what was typed at once has sent it by then, though it ends what it does before. */
const AT_ONCE_MS = 1500;

export const queued: Check = {
  name: 'queued',
  asks: 'Does a message that waits outlive a stop, once?',
  why: 'Whoever stops an agent has not taken back what they had said; that it is sent at once, or kept for them, is a matter of taste.',
  script: work,
  async play(stage) {
    needsInput(stage);
    await atWork(stage);
    await stage.say(ALSO);
    const carrier = (): ModelRequest | undefined => stage.main.find((request) => timesSaid(request) > 0);
    if (await stage.until(() => carrier() !== undefined, AT_ONCE_MS))
      throw new NotApplicable('it is sent at once: nothing waits behind the work');
    // One that is drawn anew says nothing new, with another time on it neither.
    const before = linesSaying(stage.driver.screen).map(withoutNumbers);
    const at = await stage.stop();
    await stage.until(() => carrier() !== undefined, stage.setup.watchMs);
    const sent = carrier();
    const ms = String(Math.round((sent?.receivedAt ?? at) - at));
    stage.find('fact', true, sent ? `it is sent ${ms} ms after the stop` : 'it is not sent until the person speaks');
    await speakAgain(stage);
    judgeRefusals(stage);
    const times = timesArrived(stage);
    const [shown] = linesSaying(stage.driver.screen).filter((line) => !before.includes(withoutNumbers(line)));
    // Who is told of it can send it again; whether they are cannot be judged from here.
    if (times === 0 && shown !== undefined) stage.find('fact', false, `it is not sent, and the screen says “${shown}”`);
    else stage.find('delivered', times === 1, deliveredTimes(times));
  },
};

/** The tool of a server that does not answer: the one that the profile names, or ours, by what it says of itself. */
const deafToolOf = (request: ModelRequest, { setup }: Stage): RequestTool | undefined =>
  toolsOf(request).find(({ name, description }) => {
    const given = setup.profile.mcp?.tool;
    return given === undefined ? description.includes(DEAF_TOOL) : name === given;
  });

/** Who waits no longer than that for a server is not hung by it: its client gives the call up by itself. */
const HUNG_MS = 700;

/** Waits for the call of our own server, and until the program hangs in it. */
async function hangsInOurs(stage: Stage): Promise<void> {
  await stage.runs(() => stage.deafServerCalledAt !== undefined, 'the call of the server');
  const at = stage.deafServerCalledAt ?? 0;
  // The limit of a client is one of clock time, on a slow machine as well.
  await delay(stage.setup.patience.token, Math.max(0, at + HUNG_MS - now()));
  const given = stage.conversation.steps[1];
  if (given === undefined) return;
  throw new NotApplicable(
    `its client gives the call up by itself, ${String(Math.round(given.receivedAt - at))} ms after it came: nobody stops in that`,
  );
}

/** Waits for the call of a server of which nothing is known but that it does not answer. */
async function hangsInTheirs(stage: Stage): Promise<void> {
  if (stage.setup.profile.approve !== undefined) {
    throw new NotApplicable(
      'whether the call waits for a person is not known of this server: use `{mcp}` with `approve`',
    );
  }
  await stage.watch(500);
  if (stage.conversation.steps.length > 1)
    throw new Unplayed('the call was answered, or given up, at once: the server is not deaf');
}

export const mcp: Check = {
  name: 'mcp',
  asks: 'Does a stop come through while an MCP server does not answer?',
  why: 'A server that hangs is nothing that a program can repair; that it hangs with it is.',
  script: (request, n, stage) => {
    const found = deafToolOf(request, stage);
    if (n > 1 || found === undefined) return UNDERSTOOD;
    return { text: 'I ask.', toolCalls: [{ name: found.name, input: stage.setup.profile.mcp?.input ?? {} }] };
  },
  async play(stage) {
    await stage.say('begin');
    const first = await stage.request(1);
    const { mcp: given } = stage.setup.profile;
    if (deafToolOf(first, stage) === undefined) {
      // What the profile names is there, or the profile is wrong.
      if (given !== undefined) throw new Unplayed(noTool(first, 'mcp', given.tool));
      throw new NotApplicable('the program declares no tool of a deaf MCP server: see `mcp` of a profile');
    }
    await stage.need('the reply', () => first.finishedAt !== undefined, 5000);
    await (given === undefined ? hangsInOurs(stage) : hangsInTheirs(stage));
    const at = await stage.stop();
    await expectSilence(stage, at);
    judgeTold(stage, await speakAgain(stage));
  },
};
