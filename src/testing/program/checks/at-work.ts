/**
 * A program at work, in the two ways in which every program can be: a command of its shell tool runs, or – where it declares none – its
 * reply streams.
 *
 * @module
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest } from '../../model-server/request-record.ts';
import type { ModelAnswer } from '../../model-server/script.ts';
import { isAskedAgain } from '../conversation/conversation.ts';
import { NotApplicable } from '../stage/findings.ts';
import { shellToolOf } from '../stage/named-tools.ts';
import type { Stage, StageScript } from '../stage/stage.ts';
import { UNDERSTOOD } from './after-stop.ts';

/** A reply of so many words, 30 ms each; they are easily found on a screen. */
export function story(words: number): ModelAnswer {
  return { text: Array.from({ length: words }, (_, index) => `w${String(index + 1)}`).join(' '), chunkMs: 30 };
}

/** A reply that never ends: words for a minute, and silence instead of the last one. */
export const endless: ModelAnswer = { ...story(2000), silentAfter: 1999 };

/** Whether the program declares a tool that runs commands. */
export const isRunner = (request: ModelRequest, { setup }: Stage): boolean =>
  shellToolOf(request, setup.profile) !== undefined;

/** Commands that are hard to end, or an endless reply. */
export const work: StageScript = (request, n, stage) => {
  if (n > 1) return UNDERSTOOD;
  if (!isRunner(request, stage)) return endless;
  return { text: 'I run it.', toolCalls: stage.shellCalls(request, stage.commands.command) };
};

/**
 * Commands that end by themselves, as different as they can be: what of their results is the same says that a call has finished. Each has a
 * file of this run in it, by which it is known where a program gives its calls other ids.
 */
function finishing({ folder }: Stage): { readonly quick: string; readonly slow: string } {
  const slow = join(folder, 'slow.sh');
  writeFileSync(slow, 'sleep 1\n');
  return { quick: `touch ${join(folder, 'ended')}`, slow: `sh ${slow}` };
}

/** A script behind two commands that end by themselves, where there can be some. */
export function behindFinished(script: StageScript): StageScript {
  return (request, n, stage) => {
    if (!isRunner(request, stage)) return script(request, n, stage);
    if (n > 2) return script(request, n - 2, stage);
    const { quick, slow } = finishing(stage);
    return { text: 'I look.', toolCalls: stage.shellCalls(request, n === 1 ? quick : slow) };
  };
}

async function begin(stage: Stage): Promise<ModelRequest> {
  await stage.say('begin');
  return stage.request(1);
}

/** Says the prompt, and waits until the reply streams. */
export async function atStream(stage: Stage, given?: ModelRequest): Promise<ModelRequest> {
  const first = given ?? (await begin(stage));
  await stage.need('the stream', () => first.deltasWritten > 8 || !first.stream, 10_000);
  // What has been sent may not have been read yet, and nobody stops words that they have not seen. Not every program shows them.
  await stage.until(() => /w\d+ w\d/.test(stage.driver.output.since(0)), 300);
  stage.timeline.note('model', 'streams');
  await stage.seeProcesses();
  return first;
}

/** Whether the program has asked how it goes on behind a request, also in vain. */
const hasAskedBehind = (request: ModelRequest, { server, conversation }: Stage): boolean =>
  server.requests.some(
    (one) => one.receivedAt >= request.receivedAt && !isAskedAgain(one, request) && conversation.isOf(one),
  );

/** Waits until the commands run, behind those that have ended. */
async function commandsRun(stage: Stage): Promise<void> {
  await stage.runs(() => existsSync(join(stage.folder, 'ended')), 'a command that ends by itself');
  const second = await stage.request(2);
  await stage.runs(() => hasAskedBehind(second, stage), 'another one');
  await stage.request(3);
  await stage.runs(() => stage.commands.areUp);
}

/**
 * Says the prompt, and waits until the commands run, behind two that have ended.
 *
 * @throws NotApplicable – the program declares no tool for them. Unplayed – they never ran.
 */
export async function atCommand(stage: Stage): Promise<void> {
  if (!isRunner(await begin(stage), stage)) throw new NotApplicable('the program declares no tool that runs commands');
  await commandsRun(stage);
}

/** The same where a program without commands can work, too: there its reply streams. */
export async function atWorkBehind(stage: Stage): Promise<void> {
  const first = await begin(stage);
  if (isRunner(first, stage)) await commandsRun(stage);
  else await atStream(stage, first);
}

/**
 * Says the prompt, and waits until the program works.
 *
 * @param isUp Whether the command runs that the script has the program run.
 */
export async function atWork(stage: Stage, isUp: () => boolean = () => stage.commands.areUp): Promise<void> {
  const first = await begin(stage);
  if (isRunner(first, stage)) await stage.runs(isUp);
  else await atStream(stage, first);
}
