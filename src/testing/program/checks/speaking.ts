/**
 * A message that is typed while the program works, and a server of tools that answers nobody.
 *
 * @module
 */
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { historyOf } from '../../model-server/reading/history.ts';
import { findTool } from '../../model-server/reading/request-tools.ts';
import type { ModelRequest } from '../../model-server/request-record.ts';
import { DEAF_TOOL } from '../outside/deaf-mcp-server.ts';
import { NotApplicable } from '../stage/findings.ts';
import type { Stage } from '../stage/stage.ts';
import { expectSilence, judgeTold, speakAgain } from './after-stop.ts';
import type { Check } from './check.ts';

const ALSO = 'also-this';

/** How often a request says the message, in whatever place. */
function timesSaid(request: ModelRequest): number {
  const texts = historyOf(request).filter(({ role, kind }) => role !== 'assistant' && kind !== 'call');
  return texts.reduce((sum, { text }) => sum + text.split(ALSO).length - 1, 0);
}

/** A command that runs until a file is there. */
function waitingCommand(stage: Stage): string {
  const script = join(stage.folder, 'wait.sh');
  const [up, go] = [join(stage.folder, 'up'), join(stage.folder, 'go')];
  writeFileSync(script, `touch '${up}'\nwhile [ ! -e '${go}' ]; do sleep 0.05; done\necho done\n`);
  return `sh ${script}`;
}

export const message: Check = {
  name: 'message',
  asks: 'Is a message that is typed while a command runs delivered once?',
  why: 'People correct an agent while it works; a lost correction is worse than none, for they believe it was heard.',
  script: (request, n, stage) =>
    n === 1 ? { text: 'I wait.', toolCalls: [stage.shellCall(request, waitingCommand(stage))] } : 'Understood.',
  async play(stage) {
    const { through = 'terminal', command } = stage.setup.profile;
    if (through === 'acp') throw new NotApplicable('the protocol has no message for a turn that runs');
    if (command.some((word) => word.includes('{prompt}'))) throw new NotApplicable('it takes one prompt, and ends');
    await stage.say('begin');
    await stage.request(1);
    await stage.runs(() => existsSync(join(stage.folder, 'up')));
    await stage.say(ALSO);
    await stage.watch(300);
    writeFileSync(join(stage.folder, 'go'), '');
    stage.timeline.note('system', 'the command ends');
    const delivered = await stage.until('the message', () => stage.main.some((one) => timesSaid(one) > 0), 5000);
    await stage.watch();
    const times = Math.max(0, ...stage.main.map(timesSaid));
    const isKept = !delivered && stage.driver.screen.includes(ALSO) && (await isStillInTheInput(stage));
    const sentence = isKept
      ? 'it stays in the input, and goes with the next Return'
      : `delivered ${String(times)} time${times === 1 ? '' : 's'}`;
    stage.find('delivered', times === 1 || isKept, sentence);
  },
};

/** Return, and nothing else: what was typed is sent now, or it was never there. */
async function isStillInTheInput(stage: Stage): Promise<boolean> {
  await stage.driver.press([stage.setup.profile.submit ?? '\r']);
  return stage.until('the message', () => stage.main.some((request) => timesSaid(request) === 1), 3000);
}

export const mcp: Check = {
  name: 'mcp',
  asks: 'Does a stop come through while an MCP server does not answer?',
  why: 'A server that hangs is nothing that a program can repair; that it hangs with it is.',
  script: (request, n, stage) => {
    const { mcp: given } = stage.setup.profile;
    const wanted = given === undefined ? new RegExp(`${DEAF_TOOL}$`) : new RegExp(`^${given.tool}$`);
    const found = findTool(request, wanted);
    if (n > 1 || found === undefined) return 'Understood.';
    return { text: 'I ask.', toolCalls: [{ name: found.name, input: given?.input ?? {} }] };
  },
  async play(stage) {
    await stage.say('begin');
    const first = await stage.request(1);
    const name = stage.setup.profile.mcp?.tool ?? DEAF_TOOL;
    if (findTool(first, new RegExp(`${name}$`)) === undefined) {
      throw new NotApplicable('the program declares no tool of a deaf MCP server: see `mcp` of a profile');
    }
    await stage.need('the reply', () => first.finishedAt !== undefined, 5000);
    for (const key of stage.setup.profile.approve ?? []) await stage.driver.press([key]);
    await stage.watch(500);
    if (stage.main.length > 1) throw new NotApplicable('the call was answered at once');
    const at = await stage.stop();
    await expectSilence(stage, at);
    judgeTold(stage, await speakAgain(stage), true);
  },
};
