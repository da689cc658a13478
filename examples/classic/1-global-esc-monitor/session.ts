/** The session manager: executions with a token each, their stop, the log, and the pause that outlives the program. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type Anthropic from '@anthropic-ai/sdk';
import type { CancelKind, CancellationToken, TurnReport } from 'desist';
import { SessionRegistry, type Session } from 'desist/sessions';
import { Conversation, repair, type ConversationTurn } from 'desist/transcript';
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

/** A file that is none of ours is left as it is, and is the end of the program. */
function readMessages(file: string): Message[] {
  try {
    const { messages } = JSON.parse(readFileSync(file, 'utf8')) as Pick<SessionManager, 'messages'>;
    return repair(messages, { dialect: anthropic }).messages;
  } catch (error) {
    process.stderr.write(`${file} holds no session: ${String(error)}\n`);
    process.exit(1);
  }
}

export class SessionManager {
  readonly registry: SessionRegistry = new SessionRegistry();
  readonly log: LogEntry[] = [];
  readonly resumed: boolean;
  readonly chat: Conversation<Message>;
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
    this.chat = new Conversation<Message>(anthropic, { messages: this.resumed ? readMessages(String(file)) : [] });
  }

  /** What can be sent, and saved, at any moment. */
  get messages(): Message[] {
    return this.chat.messages;
  }

  /** Each execution has a token of its own, live until it is cancelled or has ended. */
  startExecution<T>(prompt: string, work: (turn: ConversationTurn<Message>) => Promise<T>): Execution<T> {
    const turn = (this.#turns += 1);
    const session = this.registry.open(`${this.#id}/${String(turn)}`);
    let own: CancellationToken | undefined;
    const report = this.chat.runTurn(session.controller, prompt, (current) => {
      own = current.token;
      return work(current);
    });
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
    if (this.#file === undefined) return;
    // Whole or not at all, also beside another program on the same file.
    const draft = `${this.#file}.${String(process.pid)}`;
    try {
      writeFileSync(draft, JSON.stringify({ status, messages }));
      renameSync(draft, this.#file);
    } catch (error) {
      process.stderr.write(`The session is not saved: ${String(error)}\n`);
    }
  }

  async #finish<T>(session: Session, turn: number, running: Promise<TurnReport<T>>): Promise<TurnReport<T>> {
    const report = await running;
    if (report.status === 'cancelled') {
      const { kind, message } = report.reason;
      const settledMs = Math.round((report.stop?.settledMs ?? 0) * 10) / 10;
      this.log.push({ event: 'EXECUTION_CANCELLED', session: this.#id, turn, kind, message, settledMs });
    }
    if (report.status === 'cancelled') this.pause();
    if (this.front === session) this.front = undefined;
    await this.registry.close(session.id);
    return report;
  }
}
