/**
 * A program at work, in the two ways in which every program can be: a command of its shell tool runs, or – where it declares none – its
 * reply streams.
 *
 * @module
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ModelRequest } from '../../model-server/request-record.ts';
import type { ModelReply } from '../../model-server/script.ts';
import { NotApplicable } from '../stage/findings.ts';
import { shellToolOf } from '../stage/named-tools.ts';
import type { Stage, StageScript } from '../stage/stage.ts';
import { UNDERSTOOD } from './after-stop.ts';

/** Words of a reply that nobody waits out: a minute. */
export const LONG = 2000;

/** A reply of so many words, 30 ms each; they are easily found on a screen. */
export function story(words: number): ModelReply {
  return { text: Array.from({ length: words }, (_, index) => `w${String(index + 1)}`).join(' '), chunkMs: 30 };
}

/** Whether the program declares a tool that runs commands. */
export const isRunner = (request: ModelRequest, { setup }: Stage): boolean =>
  shellToolOf(request, setup.profile) !== undefined;

/** Commands that are hard to end, or a long reply. */
export const work: StageScript = (request, n, stage) => {
  if (n > 1) return UNDERSTOOD;
  if (!isRunner(request, stage)) return story(LONG);
  return { text: 'I run it.', toolCalls: stage.shellCalls(request, stage.commands.command) };
};

/** Commands that end by themselves, as different as they can be: what of their results is the same says that a call has finished. */
const finishing = ({ folder }: Stage) => ({ quick: `touch ${join(folder, 'ended')}`, slow: 'sleep 1' });

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
  await stage.until('the words', () => /w\d+ w\d/.test(stage.driver.output.since(0)), 300);
  stage.timeline.note('model', 'streams');
  await stage.seeProcesses();
  return first;
}

/** How often the program has asked how it goes on, also in vain. */
const asked = (stage: Stage): number => stage.server.requests.filter((request) => stage.isMain(request)).length;

/** Waits until the commands run, behind those that have ended. */
async function commandsRun(stage: Stage): Promise<ModelRequest> {
  await stage.runs(() => existsSync(join(stage.folder, 'ended')), 'a command that ends by itself');
  await stage.request(2);
  const before = asked(stage);
  await stage.runs(() => asked(stage) > before, 'another one');
  const behind = await stage.request(3);
  await stage.runs(() => stage.commands.areUp);
  return behind;
}

/** So many calls of a batch can be stopped: none if they were answered before, as those of a program that runs all of them in the background. */
export const openCalls = ({ main }: Stage, behind: ModelRequest, calls: number): number =>
  main.at(-1) === behind ? calls : 0;

/**
 * Says the prompt, and waits until the commands run, behind two that have ended.
 *
 * @returns The request that asked what to do behind those.
 * @throws NotApplicable – the program declares no tool for them. Unplayed – they never ran.
 */
export async function atCommand(stage: Stage): Promise<ModelRequest> {
  if (!isRunner(await begin(stage), stage)) throw new NotApplicable('the program declares no tool that runs commands');
  return commandsRun(stage);
}

/** The same where a program without commands can work, too: there its reply streams. */
export async function atWorkBehind(stage: Stage): Promise<ModelRequest> {
  const first = await begin(stage);
  return isRunner(first, stage) ? commandsRun(stage) : atStream(stage, first);
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
