/**
 * An agent of the Agent Client Protocol: prompts, permissions and the stop are messages over its standard input and output.
 *
 * @module
 */
import { now } from '../../model-server/request-record.ts';
import { isFields, listOf, type Fields } from '../../model-server/transcript-rules/fields.ts';
import { PipedProgram } from './lines-driver.ts';
import type { KeptOutput } from './kept-output.ts';
import type { Driver, DriverStart, ProgramEnd } from './driver.ts';

const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

/** See the module. */
export class AcpDriver implements Driver {
  readonly #start: DriverStart;
  readonly #program: PipedProgram;
  readonly #answers = new Map<number, Fields>();
  #sent = 0;
  #rest = '';
  #session: unknown;
  #canLoad = false;
  #isStopping = false;
  /** The id of the last prompt. */
  #prompt: number | undefined;

  constructor(start: DriverStart) {
    this.#start = start;
    this.#program = new PipedProgram(start.command, start);
    this.#program.child.stdout?.on('data', (text: string) => {
      const lines = (this.#rest + text).split('\n');
      this.#rest = lines.pop() ?? '';
      for (const line of lines) this.#take(line);
    });
  }

  get screen(): string {
    return this.output.text.split('\n').slice(-20).join('\n');
  }

  get output(): KeptOutput {
    return this.#program.output;
  }

  get end(): ProgramEnd | undefined {
    return this.#program.end;
  }

  get canGoOn(): boolean {
    return this.end === undefined;
  }

  get answer(): { readonly how: string | undefined } | undefined {
    if (this.#prompt === undefined) return undefined;
    const { stopReason, error } = this.#answers.get(this.#prompt) ?? {};
    if (isFields(error)) return { how: `an error: ${String(error['message'])}` };
    return { how: typeof stopReason === 'string' ? stopReason : undefined };
  }

  get session(): string | undefined {
    return this.#canLoad && typeof this.#session === 'string' ? this.#session : undefined;
  }

  pid(): Promise<number | undefined> {
    return Promise.resolve(this.end === undefined ? this.#program.child.pid : undefined);
  }

  async ready(limitMs: number): Promise<boolean> {
    const { cwd, mcp, session } = this.#start;
    const agent = await this.#ask('initialize', { protocolVersion: 1, clientCapabilities: {} }, limitMs);
    const { loadSession } = fieldsOf(agent?.['agentCapabilities']);
    this.#canLoad = loadSession === true;
    const server = { name: 'deaf', command: process.execPath, args: [mcp], env: [] };
    const params = { cwd, mcpServers: [server] };
    if (session === undefined) this.#session = (await this.#ask('session/new', params, limitMs))?.['sessionId'];
    else {
      const loaded = await this.#ask('session/load', { sessionId: session, ...params }, limitMs);
      if (loaded !== undefined && loaded['error'] === undefined) this.#session = session;
    }
    return this.#session !== undefined;
  }

  say(text: string): Promise<boolean> {
    this.#isStopping = false;
    this.#prompt = this.#send('session/prompt', { sessionId: this.#session, prompt: [{ type: 'text', text }] });
    return Promise.resolve(true);
  }

  press(): Promise<void> {
    return Promise.resolve();
  }

  stop(): Promise<number> {
    const at = now();
    this.#isStopping = true;
    this.#write({ method: 'session/cancel', params: { sessionId: this.#session } });
    return Promise.resolve(at);
  }

  quit(): Promise<void> {
    this.#program.child.stdin?.end();
    return Promise.resolve();
  }

  hangUp(): boolean {
    return false;
  }

  terminalLeft(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  close(): Promise<void> {
    return this.#program.close();
  }

  #write(message: Fields): void {
    this.#program.write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  #send(method: string, params: Fields): number {
    const id = ++this.#sent;
    this.#write({ id, method, params });
    return id;
  }

  async #ask(method: string, params: Fields, limitMs: number): Promise<Fields | undefined> {
    const id = this.#send(method, params);
    await this.#start.patience.comes(() => this.#answers.has(id) || this.end !== undefined, limitMs);
    return this.#answers.get(id);
  }

  #take(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return; // no message of the protocol
    }
    if (!isFields(message)) return;
    const { id, method, params, result, error } = message;
    if (method === 'session/request_permission') this.#permit(id, isFields(params) ? params : {});
    else if (method !== undefined && id !== undefined)
      this.#write({ id, error: { code: -32601, message: 'not here' } });
    else if (typeof id === 'number') this.#answers.set(id, isFields(result) ? result : { error });
  }

  /** Everything is allowed, until the person has stopped it. */
  #permit(id: unknown, params: Fields): void {
    const options = listOf(params['options']);
    const allow = options.find(({ kind }) => String(kind).startsWith('allow')) ?? options[0];
    const outcome =
      this.#isStopping || allow === undefined
        ? { outcome: 'cancelled' }
        : { outcome: 'selected', optionId: allow['optionId'] };
    this.#write({ id, result: { outcome } });
  }
}
