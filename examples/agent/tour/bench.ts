/** What every station of the tour works with: an agent, its model, ways to wait for a moment, and checks that count. */
import { pollUntil, type StopReceipt, type StopReport, type TurnReport } from 'desist';
import type { ModelServer } from 'desist/testing';
import { checkTranscript } from 'desist/transcript';
import { ScreenDisplay } from '../display.ts';
import { formatReport } from '../report.ts';
import { Session } from '../session.ts';
import type { Question } from '../tools.ts';
import type { World } from '../world.ts';

/** Long enough for a request that should not come to come. */
const QUIET_MS = 150;
const LIMIT_MS = 10_000;

/** One stop: where, what the agent was doing, and how it is stopped. */
export interface Stop {
  readonly where: string;
  readonly prompt: string;
  /** How often the model is asked, all agents together. */
  readonly requests: number;
  readonly moment: () => Promise<unknown>;
  /** By default what ESC does. */
  readonly stop?: (() => StopReceipt | undefined) | undefined;
}

export class Bench {
  readonly session: Session;
  readonly world: World;
  readonly server: ModelServer;
  /** What the tools want to be allowed. */
  readonly questions: Question[] = [];
  readonly #screen: ScreenDisplay;
  #heard = 0;
  #called: string[] = [];
  #failures = 0;
  #stops = 0;

  constructor(world: World, server: ModelServer, write: (text: string) => void) {
    this.world = world;
    this.server = server;
    this.#screen = new ScreenDisplay(write);
    this.session = new Session({
      ...world,
      display: {
        text: (delta, agent) => {
          this.#heard += delta.length;
          this.#screen.text(delta, agent);
        },
        tool: (call, agent) => {
          this.#called.push(call.name);
          this.#screen.tool(call, agent);
        },
      },
      approve: (question) => {
        this.questions.push(question);
        this.say(`? ${question.text}`);
      },
    });
  }

  /** How many checks did not hold. */
  get failures(): number {
    return this.#failures;
  }

  /** How many turns were stopped. */
  get stops(): number {
    return this.#stops;
  }

  say(line: string): void {
    this.#screen.line(line);
  }

  title(text: string): void {
    this.say(`\n▶ ${text}`);
  }

  /** Starts a turn. */
  prompt(text: string): Promise<TurnReport<string>> {
    this.say(`> ${text}`);
    this.#heard = 0;
    this.#called = [];
    return this.session.prompt(text);
  }

  /** Starts a turn, waits for the moment, stops, and looks at what is left. */
  async stop({ where, prompt, requests, moment, stop }: Stop): Promise<StopReport | undefined> {
    this.title(`a stop ${where}`);
    const before = this.server.requests.length;
    const turn = this.prompt(prompt);
    await moment();
    const receipt = stop === undefined ? this.session.agent.cancel() : stop();
    await receipt?.settled;
    const report = await turn;
    const isCancelled = report.status === 'cancelled';
    if (isCancelled) this.#stops++;
    this.say(report.stop === undefined ? `── ${report.status}` : formatReport(report.stop));
    this.check('the stop was accepted and the turn is cancelled', receipt?.accepted === true && isCancelled);
    this.check('nothing is left running', report.stop?.abandoned.length === 0);
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    this.checkRequests(before, requests);
    await this.checkRest();
    return report.stop;
  }

  check(what: string, holds: boolean): void {
    if (!holds) this.#failures++;
    this.say(`   ${holds ? '✓' : '✗ NOT TRUE:'} ${what}`);
  }

  checkRequests(before: number, requests: number): void {
    const often = requests === 1 ? 'once' : `${requests} times`;
    this.check(`the model was asked ${often} and not again`, this.server.requests.length - before === requests);
  }

  /** Nothing of a cut reply comes any more, and the conversation can go on. */
  async checkRest(): Promise<void> {
    const open = this.server.requests.filter(({ finishedAt }) => finishedAt === undefined);
    await this.until(() => open.every(({ closedEarly }) => closedEarly)).catch(() => undefined);
    this.check(
      'every cut stream was closed',
      open.every(({ closedEarly }) => closedEarly),
    );
    const { dialect } = this.world.model;
    this.check('the transcript can be sent', checkTranscript(this.session.messages, { dialect }).length === 0);
  }

  /** The requests whose newest message has this text; older messages travel with every request. */
  requestsWith(text: string): readonly unknown[] {
    return this.server.requests.filter(({ body }) =>
      JSON.stringify((body['messages'] as unknown[]).at(-1)).includes(text),
    );
  }

  async until(condition: () => boolean | Promise<boolean>): Promise<void> {
    await pollUntil(undefined, condition, { intervalMs: 10, timeoutMs: LIMIT_MS });
  }

  /** So much was said in this turn, after that tool was called. */
  async speaking(length: number, after?: string): Promise<void> {
    await this.until(() => this.#heard >= length && (after === undefined || this.#called.includes(after)));
  }

  async called(tool: string): Promise<void> {
    await this.until(() => this.#called.includes(tool));
  }

  /** Waits until a tool wants to be allowed. */
  async question(): Promise<Question> {
    await this.until(() => this.questions.length > 0);
    return this.questions.shift() as Question;
  }
}
