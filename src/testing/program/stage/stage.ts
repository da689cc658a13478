/**
 * One run of one check: a model server, a program that speaks to it, commands that are hard to end, and what was seen of all of them.
 *
 * Invariant: `close` leaves no process that is known as the run's, no socket and no file.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HostileCommands } from '../../agent-suite/hostile-commands.ts';
import { deferred, type Deferred } from '../../fakes.ts';
import { startModelServer } from '../../model-server/index.ts';
import { inputFor } from '../../model-server/reading/request-tools.ts';
import { now, type ModelRequest } from '../../model-server/request-record.ts';
import type { ModelReply, ScriptedToolCall } from '../../model-server/script.ts';
import type { ModelServer } from '../../model-server/scripted-server.ts';
import { AcpDriver } from '../drivers/acp-driver.ts';
import type { Driver, DriverStart } from '../drivers/driver.ts';
import { LinesDriver } from '../drivers/lines-driver.ts';
import { TerminalDriver } from '../drivers/terminal-driver.ts';
import { calledNote, deafServerScript } from '../outside/deaf-mcp-server.ts';
import process from 'node:process';
import type { ProcessRow } from '../outside/processes.ts';
import type { PseudoTerminals } from '../outside/pseudo-terminal.ts';
import { environmentOf, fillIn, writeFiles, type ProfilePlaces } from '../profile-places.ts';
import { throughOf, type ProgramProfile } from '../profile.ts';
import type { Acquaintance } from '../conversation/acquaintance.ts';
import { Conversation } from '../conversation/conversation.ts';
import { Family, nameOf } from './family.ts';
import type { GivenCall } from '../conversation/handed-out.ts';
import { findingOf, Unplayed, type FindingName, type ProgramFinding } from './findings.ts';
import { takeAll, type Patience } from './patience.ts';
import { shellToolOf } from './named-tools.ts';
import { smallReply } from '../conversation/small-reply.ts';
import { Timeline } from './timeline.ts';

/** What all runs of a program share. */
export interface StageSetup {
  readonly profile: ProgramProfile;
  readonly terminals: PseudoTerminals | undefined;
  /** The program's home: one for all its checks. */
  readonly home: string;
  readonly work: string;
  /** How it asks, once it has been asked one thing. */
  readonly known?: Acquaintance | undefined;
  readonly watchMs: number;
  readonly goneMs: number;
  /** How long it is waited, and until when at all. */
  readonly patience: Patience;
}

/** What the model answers to the conversation's n-th step. */
export type StageScript = (request: ModelRequest, n: number, stage: Stage) => ModelReply;

let count = 0;

/** See the module. */
export class Stage {
  readonly setup: StageSetup;
  readonly timeline: Timeline = new Timeline();
  readonly findings: ProgramFinding[] = [];
  readonly commands: HostileCommands = new HostileCommands();
  readonly conversation: Conversation;
  /** A word of every prompt of this run. */
  readonly mark: string;
  /** A folder of this run's own, in the program's working folder. */
  readonly folder: string;
  /** Ends the reply of a script that lasts until then. */
  readonly held: Deferred<void> = deferred();
  /** What the next request told, if one came. */
  readonly words: string[] = [];
  /** When stop was pressed, and the calls that were open then. */
  stopped: { readonly at: number; readonly calls: readonly GivenCall[] } | undefined;
  /** The program and its processes when a person pressed stop, and at the end. */
  readonly processes: { before: readonly ProcessRow[]; after: readonly ProcessRow[] } = { before: [], after: [] };
  readonly server: ModelServer;
  readonly #family: Family;
  #driver: Driver | undefined;

  private constructor(setup: StageSetup, server: ModelServer, mark: string) {
    this.setup = setup;
    this.server = server;
    this.mark = mark;
    this.conversation = new Conversation(mark, setup.known);
    this.#family = new Family(this.commands.folder, mark, [setup.home, setup.work], server.url);
    // A program may have removed it.
    mkdirSync(setup.work, { recursive: true });
    this.folder = mkdtempSync(join(setup.work, 'run-'));
  }

  /** Starts the server; `start` starts the program. */
  static async open(setup: StageSetup, script: StageScript): Promise<Stage> {
    const mark = `q${String(process.pid)}x${String(++count)}z`;
    // Set below, before anybody knows the server's address.
    const holder: { stage?: Stage } = {};
    const server = await startModelServer({
      script: (request) => holder.stage?.answer(request, script) ?? 'Hello.',
    });
    const stage = new Stage(setup, server, mark);
    holder.stage = stage;
    return stage;
  }

  /** Requests of the conversation, in order of arrival. */
  get main(): readonly ModelRequest[] {
    return this.conversation.requests;
  }

  /** What the model says; a request beside the conversation gets a short word. */
  answer(request: ModelRequest, script: StageScript): ModelReply {
    if (!this.conversation.isOf(request)) return smallReply(request, 'Check');
    // Behind a stop nothing is handed out again.
    return this.conversation.answer(request, (n) =>
      script(request, this.stopped === undefined ? n : this.main.length, this),
    );
  }

  get driver(): Driver {
    if (this.#driver === undefined) throw new Error('the program has not been started');
    return this.#driver;
  }

  /** Starts the program, or takes it up again, and waits until it can be spoken to. */
  async start(command: readonly string[] = this.setup.profile.command): Promise<void> {
    const { profile, home, work, terminals, patience } = this.setup;
    const mcp = this.#deafServer;
    writeFileSync(mcp, deafServerScript);
    const places: ProfilePlaces = { url: this.server.url, home, work, mcp };
    writeFiles(profile.files, places);
    const env: Readonly<Record<string, string>> = { ...environmentOf(profile, places), DESIST_CHECK: this.mark };
    mkdirSync(env['TMPDIR'] ?? home, { recursive: true });
    const notes = mkdtempSync(join(this.folder, 'notes-'));
    const commandFor: DriverStart['commandFor'] = (prompt, isFirst) => {
      const chosen = isFirst ? profile.command : profile.resume;
      return chosen === undefined ? undefined : fillIn(chosen, { ...places, prompt });
    };
    const rest = { commandFor, env, notes, terminals, patience, mcp, session: this.#driver?.session };
    const start = { profile, command: fillIn(command, places), cwd: work, ...rest };
    const Kind = { terminal: TerminalDriver, lines: LinesDriver, acp: AcpDriver }[throughOf(profile)];
    this.timeline.note('person', 'starts the program');
    this.#driver = new Kind(start);
    if (!(await this.#driver.ready(20_000))) {
      const { end } = this.#driver;
      if (end !== undefined) throw new Unplayed(`the program ended with ${String(end.code)} before it was ready`);
      const why = profile.ready === undefined ? ': its screen never rests, so say `ready` in a profile' : '';
      throw new Unplayed(`the program was never ready${why}`);
    }
    this.timeline.note('program', 'is ready');
  }

  /** Says something that begins with this run's mark. */
  async say(text: string): Promise<string> {
    const words = `${this.mark} ${text}`;
    this.conversation.said.push(words);
    const isShown = await this.driver.say(words);
    this.timeline.note('person', `says “${words}”${isShown ? '' : ', which the screen did not show'}`);
    return words;
  }

  /**
   * Waits; `false` if it did not come.
   *
   * @throws CancelledError – nobody wants the run any more.
   */
  async until(isSo: () => boolean | Promise<boolean>, ms: number): Promise<boolean> {
    return this.setup.patience.comes(isSo, ms);
  }

  /** Waits until the model is left alone: a title, or the choice of a model, may be asked for before the conversation is. */
  async settled(): Promise<void> {
    const isQuiet = (): boolean =>
      this.server.requests.every(
        ({ closedAt }) => closedAt !== undefined && now() - closedAt > this.setup.patience.within(1000),
      );
    await this.until(isQuiet, 10_000);
  }

  /** Waits for what a check cannot go on without. */
  async need(what: string, isSo: () => boolean | Promise<boolean>, ms: number): Promise<void> {
    if (!(await this.until(isSo, ms))) throw new Unplayed(`${what} did not come: see the screen`);
  }

  /** The request of the conversation's n-th step. */
  async request(n: number, ms = 10_000): Promise<ModelRequest> {
    const what = `request ${String(n)} of the conversation`;
    const { steps } = this.conversation;
    if (!(await this.until(() => steps.length >= n, ms))) {
      // What is refused never reaches the script.
      const refusal = this.server.requests.find(
        (one) => one.refusal !== undefined && this.conversation.isOf(one),
      )?.refusal;
      if (refusal !== undefined) this.find('legal', false, refusal);
      throw new Unplayed(`${what} ${refusal === undefined ? 'did not come' : 'was refused'}: see the screen`);
    }
    return steps[n - 1] as ModelRequest;
  }

  /** Calls of the program's own shell tool, one per command; none if it declares no such tool. */
  shellCalls(request: ModelRequest, ...commands: readonly string[]): readonly ScriptedToolCall[] {
    const tool = shellToolOf(request, this.setup.profile);
    return tool === undefined ? [] : commands.map((command) => ({ name: tool.name, input: inputFor(tool, command) }));
  }

  get #deafServer(): string {
    return join(this.folder, 'deaf-mcp-server.cjs');
  }

  /** When the deaf server of `{mcp}` has got a call, epoch ms. */
  get deafServerCalledAt(): number | undefined {
    return statSync(calledNote(this.#deafServer), { throwIfNoEntry: false })?.mtimeMs;
  }

  /** Waits until a command runs, and allows it where the program asks. */
  async runs(isUp: () => boolean, what = 'the command'): Promise<void> {
    const { approve = [] } = this.setup.profile;
    const isOver = (): boolean => isUp() || this.driver.end !== undefined;
    if (!(await this.until(isOver, approve.length > 0 ? 3000 : 10_000))) {
      for (const key of approve) {
        await this.driver.press([key]);
        this.timeline.note('person', `allows it with ${JSON.stringify(key)}`);
        if (await this.until(isUp, 3000)) break;
      }
    }
    if (!isUp()) throw new Unplayed(`${what} was never started: see the screen`);
    this.timeline.note('system', `${what} runs`);
    await this.seeProcesses();
  }

  /** Keeps what the program has started by now, for the report. */
  async seeProcesses(): Promise<void> {
    this.processes.before = await this.#processes();
  }

  /** Presses stop. */
  async stop(): Promise<number> {
    // What has been answered by now was not stopped.
    const open = this.conversation.openCalls;
    const at = await this.driver.stop();
    this.stopped = { at, calls: open };
    this.timeline.note('person', 'presses stop', at);
    return at;
  }

  /** Judges one thing. */
  find(about: FindingName, isSo: boolean, sentence: string, ms?: number): void {
    this.findings.push(findingOf(about, isSo, { sentence, ms }, this.setup.profile.promises));
  }

  /** Waits in real time, for what should not come. */
  watch(ms: number = this.setup.watchMs): Promise<void> {
    return this.setup.patience.watch(ms);
  }

  /**
   * Who is left, once all are gone or the limit has passed.
   *
   * @param own Of a program that has been left, its processes of before: they and what it has started since count beside its commands.
   */
  async left(
    since: number,
    own?: readonly ProcessRow[],
  ): Promise<{ readonly left: readonly string[]; readonly ms: number; readonly living: readonly ProcessRow[] }> {
    let left: readonly string[] = [];
    let living: readonly ProcessRow[] = [];
    const look = async (): Promise<boolean> => {
      if (own !== undefined) living = await this.#family.remaining(own);
      left = [...(await this.commands.alive()), ...living.map(nameOf)];
      return left.length === 0;
    };
    await this.until(look, this.setup.goneMs);
    const ms = Math.round(now() - since);
    this.timeline.note('system', left.length === 0 ? 'nothing of it lives' : `alive: ${left.join(', ')}`);
    return { left, ms, living };
  }

  /** The program and what it has started, the hostile commands aside. */
  async ownProcesses(): Promise<readonly ProcessRow[]> {
    return this.#family.members(await this.driver.pid());
  }

  async #processes(): Promise<readonly ProcessRow[]> {
    return this.#family.all(await this.#driver?.pid());
  }

  /** @throws The first fault, once everything else is gone. */
  async close(): Promise<void> {
    await takeAll([
      async () => void (this.processes.after = await this.#processes()),
      () => this.#driver?.close(),
      () => this.commands.release(),
      () => this.#family.end([...this.processes.before, ...this.processes.after]),
      () => this.server.close(),
      () => {
        rmSync(this.folder, { recursive: true, force: true });
      },
    ]);
  }
}
