/** The tour: stops an agent at the places where stopping usually fails, and checks each time that it did stop. */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pollUntil } from 'desist';
import type { ModelServer } from 'desist/testing';
import { checkTranscript } from 'desist/transcript';
import { ScreenDisplay } from './display.ts';
import { formatReport } from './report.ts';
import { Session } from './session.ts';
import type { World } from './world.ts';

/** Long enough for a request that should not come to come. */
const QUIET_MS = 150;
const LIMIT_MS = 10_000;

class Tour {
  readonly #world: World;
  readonly #server: ModelServer;
  readonly #session: Session;
  readonly #screen: ScreenDisplay;
  #heard = 0;
  #failures = 0;
  #stops = 0;

  constructor(world: World, server: ModelServer, write: (text: string) => void) {
    this.#world = world;
    this.#server = server;
    this.#screen = new ScreenDisplay(write);
    const display = {
      text: (delta: string, agent: string) => {
        this.#heard += delta.length;
        this.#screen.text(delta, agent);
      },
      tool: this.#screen.tool.bind(this.#screen),
    };
    this.#session = new Session({ ...world, display });
  }

  /** Plays every stop; returns how many checks failed. */
  async play(): Promise<number> {
    await this.#stop('during the stream', 'Tell me a story.', 1, () => this.#isSpeaking(40));
    await this.#stop('during the shell tool', 'Please run the long job.', 1, () => this.#processTreeRuns());
    await this.#checkProcessesGone();
    await this.#stop('during the MCP tool', 'Please search the index.', 1, () => this.#mcpWorks());
    await this.#stop('during the sub-agent', 'Please delegate it.', 2, () =>
      this.#isSpeaking(60, 'tell me everything'),
    );
    await this.#interject();
    await this.#goOn();
    await this.#session.agent.close();
    return this.#failures;
  }

  /** Starts a turn, waits for the moment, stops, and looks at what is left. */
  async #stop(where: string, prompt: string, requests: number, moment: () => Promise<unknown>): Promise<void> {
    this.#screen.line(`\n▶ a stop ${where}\n> ${prompt}`);
    this.#heard = 0;
    const before = this.#server.requests.length;
    const turn = this.#session.prompt(prompt);
    await moment();
    const { accepted, settled } = this.#session.agent.cancel();
    const stop = await settled;
    const report = await turn;
    this.#screen.line(formatReport(stop));
    this.#check('the stop was accepted and the turn is cancelled', accepted && report.status === 'cancelled');
    this.#check('nothing is left running', stop.abandoned.length === 0);
    this.#stops++;
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    const asked = this.#server.requests.length - before;
    this.#check(
      `the model was asked ${requests === 1 ? 'once' : `${requests} times`} and not again`,
      asked === requests,
    );
    await this.#checkSockets();
    this.#checkTranscript();
  }

  async #interject(): Promise<void> {
    const text = 'Use short words.';
    this.#screen.line('\n▶ a message in the middle of the stream\n> Tell me another story.');
    this.#heard = 0;
    const turn = this.#session.prompt('Tell me another story.');
    await this.#isSpeaking(40);
    const interjection = this.#session.agent.interject(text, { delivery: 'now' });
    this.#screen.line(`> ${text}`);
    const report = await turn;
    this.#screen.line(`── ${report.status}, the message was ${interjection.status}`);
    this.#check('the turn completed', report.status === 'completed');
    this.#check('the model was told once', this.#requestsWith('[PRIORITY USER MESSAGE]').length === 1);
    this.#check('the partial answer was kept', this.#session.messages.length > 0 && report.partials.length === 1);
    await this.#checkSockets();
    this.#checkTranscript();
  }

  /** After all that the conversation still works, and the model is told of the last stop once. */
  async #goOn(): Promise<void> {
    this.#screen.line('\n▶ and the next prompt\n> Something quick, please.');
    const told = this.#requestsWith('The user stopped your previous turn').length;
    const report = await this.#session.prompt('Something quick, please.');
    this.#screen.line(`── ${report.status}`);
    this.#check('the next prompt is answered', report.status === 'completed');
    this.#check('the model was told of each stop, once', told === this.#stops);
    this.#check(
      'no request was refused',
      this.#server.requests.every(({ status }) => (status ?? 200) < 400),
    );
  }

  #requestsWith(text: string): readonly unknown[] {
    // In the newest message only: older ones travel with every request.
    return this.#server.requests.filter(({ body }) =>
      JSON.stringify((body['messages'] as unknown[]).at(-1)).includes(text),
    );
  }

  async #isSpeaking(length: number, after?: string): Promise<void> {
    await this.#until(() => this.#heard >= length && (after === undefined || this.#requestsWith(after).length > 0));
  }

  async #pids(): Promise<number[]> {
    const text = await readFile(join(this.#world.workspace, 'pids'), 'utf8').catch(() => '');
    return text.split('\n').filter(Boolean).map(Number);
  }

  #processTreeRuns(): Promise<void> {
    return this.#until(async () => (await this.#pids()).length === 2);
  }

  #mcpWorks(): Promise<void> {
    return this.#until(() => this.#screen.lastTool === 'search');
  }

  async #until(condition: () => boolean | Promise<boolean>): Promise<void> {
    await pollUntil(undefined, condition, { intervalMs: 10, timeoutMs: LIMIT_MS });
  }

  async #checkProcessesGone(): Promise<void> {
    const pids = await this.#pids();
    this.#check(`the processes ${pids.join(' and ')} are gone`, pids.length === 2 && !pids.some(isAlive));
  }

  async #checkSockets(): Promise<void> {
    const open = this.#server.requests.filter(({ finishedAt }) => finishedAt === undefined);
    await this.#until(() => open.every(({ closedEarly }) => closedEarly)).catch(() => undefined);
    this.#check(
      'every cut stream was closed',
      open.every(({ closedEarly }) => closedEarly),
    );
  }

  #checkTranscript(): void {
    const dialect = this.#world.model.dialect;
    const wrong = checkTranscript(this.#session.messages as never, { dialect });
    this.#check('the transcript can be sent', wrong.length === 0);
  }

  #check(what: string, holds: boolean): void {
    if (!holds) this.#failures++;
    this.#screen.line(`   ${holds ? '✓' : '✗ NOT TRUE:'} ${what}`);
  }
}

/** A process that has ended but that nobody has waited for still has a number; it does nothing any more. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch (error) {
    // Where there is no /proc, having a number is being alive.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && process.platform !== 'linux';
  }
}

/** Plays the tour and returns the exit code. */
export async function playTour(world: World, write: (text: string) => void): Promise<number> {
  if (world.server === undefined) throw new TypeError('the tour needs the embedded model');
  const failures = await new Tour(world, world.server, write).play();
  await world.close();
  const mcpGone = !isAlive(world.mcpPid);
  if (!mcpGone) write(`✗ NOT TRUE: the MCP server (pid ${world.mcpPid}) is gone\n`);
  const ok = failures === 0 && mcpGone;
  write(ok ? '\nEvery stop was complete.\n' : '\nNot every stop was complete.\n');
  return ok ? 0 : 1;
}
