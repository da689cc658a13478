/** The command line of the demo: what it may say, and one clear line for everything else. */
import { parseArgs } from 'node:util';

/** An error whose message is all that a person needs to see. */
export class UserError extends Error {}

export interface Options {
  readonly provider: 'anthropic' | 'openai';
  /** The address of a real model; `undefined` for the embedded one. */
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly model: string;
  /** The port of the embedded model; 0 for any free one. */
  readonly port: number;
  readonly mode: 'interactive' | 'tour' | 'prompt';
  readonly prompt: string | undefined;
  readonly ui: 'plain' | 'ink';
  /** What ESC takes to stop the agent. */
  readonly escape: 'single' | 'double' | 'tiered';
  /** Whether the backtick opens a line for the agent while it works. */
  readonly inject: boolean;
  /** Whether a page is written for each stop. */
  readonly trace: boolean;
}

export const usage = `usage: npm start -- [options]

  In a terminal this is a small coding agent: type a prompt, press ESC while it works.
  Without a terminal it plays a tour of stops, checks each, and exits 0 only if every stop was complete.

  --provider anthropic|openai   which SDK to use (default anthropic)
  --base-url URL                a real model, or any server that speaks its protocol
  --model NAME                  its name
  --port N                      port of the embedded model (default: any free one)
  --prompt TEXT                 one turn, without a conversation
  --ui plain|ink                how a conversation is drawn (default plain)
  --escape single|double|tiered what ESC takes to stop it (default single)
  --inject                      the backtick opens a line for the agent while it works
  --trace                       a page for each stop: who was asked, who ended when, what still runs
  --tour                        the tour, also in a terminal
  --embedded                    the embedded model, also with an API key in the environment
  --help                        this text

  With ANTHROPIC_API_KEY or OPENAI_API_KEY set, a terminal session and --prompt talk to the real model.`;

const keyNames = { anthropic: 'ANTHROPIC_API_KEY', openai: 'OPENAI_API_KEY' } as const;
const homes = { anthropic: 'https://api.anthropic.com', openai: 'https://api.openai.com/v1' } as const;
const models = { anthropic: 'claude-haiku-5-5', openai: 'gpt-5.5' } as const;

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: false,
      options: {
        provider: { type: 'string', default: 'anthropic' },
        'base-url': { type: 'string' },
        model: { type: 'string' },
        port: { type: 'string', default: '0' },
        prompt: { type: 'string' },
        ui: { type: 'string', default: 'plain' },
        escape: { type: 'string', default: 'single' },
        inject: { type: 'boolean', default: false },
        trace: { type: 'boolean', default: false },
        tour: { type: 'boolean', default: false },
        embedded: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    // Node's message goes on with advice about "--", which is of no use here.
    const [line = 'unknown option'] = (error as Error).message.split(/\.\s/);
    throw new UserError(`${line} (npm start -- --help)`);
  }
}

function readUrl(text: string): string {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    throw new UserError(`--base-url must be an address such as http://127.0.0.1:8080, got ${JSON.stringify(text)}`);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new UserError(`--base-url must be http or https, got ${JSON.stringify(text)}`);
  }
  return text;
}

function readPort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UserError(`--port must be a number from 0 to 65535, got ${JSON.stringify(text)}`);
}

function readWord<T extends string>(option: string, text: string, words: readonly T[]): T {
  const word = words.find((one) => one === text);
  if (word !== undefined) return word;
  const list = `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
  throw new UserError(`--${option} must be ${list}, got ${JSON.stringify(text)}`);
}

function isLoopback(url: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(new URL(url).hostname);
}

/** Reads the command line; `undefined` if it asked for help. */
export function readOptions(args: readonly string[], env: NodeJS.ProcessEnv, isTerminal: boolean): Options | undefined {
  const values = parse(args);
  if (values.help) return undefined;
  const provider = readWord('provider', values.provider, ['anthropic', 'openai'] as const);
  const ui = readWord('ui', values.ui, ['plain', 'ink'] as const);
  const escape = readWord('escape', values.escape, ['single', 'double', 'tiered'] as const);
  if (ui === 'ink' && values.inject)
    throw new UserError('--inject is for --ui plain: with Ink the line is always open');
  const port = readPort(values.port);
  const asked = values['base-url'];
  if (values.embedded && asked !== undefined) throw new UserError('--embedded and --base-url exclude each other');
  const mode = values.prompt !== undefined ? 'prompt' : values.tour || !isTerminal ? 'tour' : 'interactive';
  if (mode === 'tour' && asked !== undefined) {
    throw new UserError(
      values.tour
        ? 'the tour counts the requests of the embedded model: leave --base-url out'
        : 'this is no terminal: a real model needs one, or --prompt TEXT',
    );
  }
  // Set but empty is how a shell says "not set".
  const apiKey = env[keyNames[provider]] || undefined;
  const baseUrl = asked === undefined ? undefined : readUrl(asked);
  if (baseUrl !== undefined && apiKey === undefined && !isLoopback(baseUrl)) {
    throw new UserError(`${keyNames[provider]} is not set, and ${baseUrl} will ask for it`);
  }
  const live = mode !== 'tour' && !values.embedded && (baseUrl !== undefined || apiKey !== undefined);
  return {
    provider,
    baseUrl: live ? (baseUrl ?? homes[provider]) : undefined,
    apiKey: live ? apiKey : undefined,
    model: values.model ?? models[provider],
    port,
    mode,
    prompt: values.prompt,
    ui,
    escape,
    inject: values.inject,
    trace: values.trace,
  };
}
