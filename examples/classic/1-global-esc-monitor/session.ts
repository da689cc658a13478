/** The session manager: executions with a token each, their stop, the log, and the pause that outlives the program. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type Anthropic from '@anthropic-ai/sdk';
import type { CancelKind, CancellationToken, TurnReport } from 'desist';
import { SessionRegistry, type Session } from 'desist/sessions';
import { settleTranscript } from 'desist/transcript';
import { anthropic } from 'desist/transcript/anthropic';

export type Message = Anthropic.MessageParam;

/** One line of the log for each execution that was cancelled. */
export interface LogEntry {
  readonly event: 'EXECUTION_CANCELLED';
  readonly session: string;
  readonly turn: number;
  readonly kind: CancelKind;
  readonly message: string;
  readonly settledMs: number;
}

export interface Execution<T> {
  readonly token: CancellationToken;
  readonly ended: Promise<TurnReport<T>>;
}

export class SessionManager {
  readonly registry: SessionRegistry = new SessionRegistry();
  readonly log: LogEntry[] = [];
  readonly resumed: boolean;
  messages: Message[] = [];
  status: 'active' | 'paused' = 'active';
  /** Whose stop the keyboard's is. */
  front: Session | undefined;
  readonly #id: string;
  readonly #file: string | undefined;
  #turns = 0;

  constructor(id: string, file?: string) {
    this.#id = id;
    this.#file = file;
    this.resumed = file !== undefined && existsSync(file);
    if (this.resumed) this.messages = (JSON.parse(readFileSync(String(file), 'utf8')) as SessionManager).messages;
  }

  /** Each execution has a token of its own, live until it is cancelled or has ended. */
  startExecution<T>(work: (token: CancellationToken) => Promise<T>): Execution<T> {
    const turn = (this.#turns += 1);
    const session = this.registry.open(`${this.#id}/${String(turn)}`);
    let own: CancellationToken | undefined;
    const report = session.controller.runTurn(({ token }) => work((own = token)));
    if (own === undefined) throw new Error('a turn of an idle session begins at once');
    this.front = session;
    this.status = 'active';
    return { token: own, ended: this.#finish(session, turn, report) };
  }

  /** Cancels what has been started, and nothing that starts later, not even in this tick. */
  cancelAll(): Promise<unknown> {
    return this.registry.cancelAll();
  }

  pause(): void {
    this.status = 'paused';
    const { status, messages } = this;
    if (this.#file !== undefined) writeFileSync(this.#file, JSON.stringify({ status, messages }));
  }

  async #finish<T>(session: Session, turn: number, running: Promise<TurnReport<T>>): Promise<TurnReport<T>> {
    const report = await running;
    if (report.status === 'cancelled') {
      const { kind, message } = report.reason;
      const settledMs = report.stop?.settledMs ?? 0;
      this.log.push({ event: 'EXECUTION_CANCELLED', session: this.#id, turn, kind, message, settledMs });
      // A call that the model asked for gets an answer, or no provider takes the conversation again.
      this.messages = [...settleTranscript(this.messages, { dialect: anthropic, reason: report.reason }).messages];
      this.pause();
    }
    if (this.front === session) this.front = undefined;
    await this.registry.close(session.id);
    return report;
  }
}
