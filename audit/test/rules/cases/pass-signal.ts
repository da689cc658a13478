import type { RuleCases } from '../harness.ts';

const openai = "import OpenAI from 'openai';\nconst client = new OpenAI();";
const anthropic = "import Anthropic from '@anthropic-ai/sdk';\nconst client = new Anthropic();";
const ai = "import { generateText, streamText, type LanguageModel } from 'ai';\ndeclare const model: LanguageModel;";
const mcp = "import { Client } from '@modelcontextprotocol/client';\ndeclare const client: Client;";
const exec =
  "import { exec } from 'node:child_process';\nimport { promisify } from 'node:util';\nconst execAsync = promisify(exec);";

export const passSignalCases: RuleCases = {
  valid: [
    {
      name: 'a request of openai that gets the signal',
      code: `${openai}
export const ask = (signal: AbortSignal) =>
  client.chat.completions.create({ model: 'm', messages: [] }, { signal });`,
    },
    {
      name: 'a request whose signal was decided to be none',
      code: `${anthropic}
export async function ask(signal: AbortSignal) {
  signal.throwIfAborted();
  return await client.messages.create({ model: 'm', max_tokens: 1, messages: [] }, { signal: undefined });
}`,
    },
    {
      name: 'a request with options that hold the signal already',
      code: `${anthropic}
export const ask = (options: { signal?: AbortSignal }) =>
  client.messages.create({ model: 'm', max_tokens: 1, messages: [] }, { ...options, timeout: 1_000 });`,
    },
    {
      name: 'a call of an object that carries a signal already',
      code: `interface Turn { readonly signal: AbortSignal; model(ask: () => Promise<string>, options?: { signal?: AbortSignal }): Promise<string> }
export const run = async (turn: Turn) => await turn.model(() => Promise.resolve('done'));`,
    },
    {
      name: 'a call of a function that was taken out of such an object',
      code: `interface Turn { readonly signal: AbortSignal; model(ask: () => Promise<string>, options?: { signal?: AbortSignal }): Promise<string> }
export const run = async ({ model, signal }: Turn) => (signal.aborted ? '' : await model(() => Promise.resolve('done')));`,
    },
    {
      name: 'a call of an object that was made with the signal',
      code: `declare class Runner { constructor(options: { signal: AbortSignal }); run(options?: { signal?: AbortSignal }): Promise<void> }
export async function run(signal: AbortSignal) {
  const runner = new Runner({ signal });
  await runner.run();
}`,
    },
    {
      name: 'an ambient signal: the class of the context keeps the current one for callees',
      code: `import { AsyncLocalStorage } from 'node:async_hooks';
class Run { static current = new AsyncLocalStorage<Run>(); signal = new AbortController().signal }
declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
export const step = async (run: Run) => { run.signal.throwIfAborted(); return await ask('why?'); };`,
    },
    {
      name: 'an ambient signal: the work is given away with the signal and is offered none',
      code: `${ai}
declare function withSignal<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
export const ask = (signal: AbortSignal) => withSignal(signal, async () => await generateText({ model, prompt: 'Why?' }));`,
    },
    {
      name: 'a promise that is handed to a race with the signal',
      code: `${mcp}
declare function race<T>(signal: AbortSignal, work: Promise<T>): Promise<T>;
export const call = async (signal: AbortSignal) => await race(signal, client.callTool({ name: 'search' }));`,
    },
    {
      name: 'a promise that is kept and then raced with the signal',
      code: `${mcp}
declare function race<T>(signal: AbortSignal, work: Promise<T>): Promise<T>;
export async function call(signal: AbortSignal) {
  const answer = client.callTool({ name: 'search' });
  return await race(signal, answer);
}`,
    },
    {
      name: 'a wrapper whose function gives the signal on',
      code: `declare function retry<T>(work: () => Promise<T>, options?: { signal?: AbortSignal }): Promise<T>;
export const load = async (signal: AbortSignal) => await retry(() => fetch('https://a.example', { signal }));`,
    },
    {
      name: 'the other branch passes it',
      code: `export const load = async (signal?: AbortSignal) =>
  signal === undefined ? await fetch('https://a.example') : await fetch('https://a.example', { signal });`,
    },
    {
      name: 'an argument without a type may hold the signal',
      code: `${openai}
export const ask = async (signal: AbortSignal, options: any) =>
  signal.aborted ? undefined : await client.models.list(options as any);`,
    },
    {
      name: 'clean-up in finally must not be stopped',
      code: `${mcp}
export async function work(signal: AbortSignal) {
  try {
    await client.callTool({ name: 'search' }, { signal });
  } finally {
    await client.callTool({ name: 'unlock' });
  }
}`,
    },
    {
      name: 'a function that aborts does its work after the stop',
      code: `export async function abortRun(id: string, signal: AbortSignal) {
  signal.throwIfAborted();
  await fetch('https://a.example/' + id, { method: 'DELETE' });
}`,
    },
    {
      name: 'work because of a stop, where it was asked for',
      code: `export async function step(signal: AbortSignal) {
  if (signal.aborted) {
    await fetch('https://a.example/stopped');
  }
}`,
    },
    {
      name: 'a listener that runs for something that happens later',
      code: `import { EventEmitter } from 'node:events';
export function watch(signal: AbortSignal, bus: EventEmitter) {
  bus.on('gone', async () => { await fetch('https://a.example'); });
  signal.throwIfAborted();
}`,
    },
    {
      name: 'a controller that a function makes for a limit of its own is no stop for other calls',
      code: `export async function load() {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), 1_000);
  const first = await fetch('https://a.example', { signal: limit.signal });
  clearTimeout(timer);
  return [first, await fetch('https://b.example')];
}`,
    },
    {
      name: 'the run is cancelled by a listener of the signal',
      code: `declare const runs: { start(options?: { signal?: AbortSignal }): Promise<{ id: string }>; end(id: string): void };
export async function work(signal: AbortSignal) {
  const run = await runs.start();
  signal.addEventListener('abort', () => { runs.end(run.id); });
}`,
    },
    {
      name: 'the stream is aborted by a listener with a name',
      code: `${anthropic}
export async function* ask(signal: AbortSignal) {
  const stream = client.messages.stream({ model: 'm', max_tokens: 1, messages: [] });
  const abort = () => { stream.controller.abort(); };
  signal.addEventListener('abort', abort);
  for await (const event of stream) yield event;
}`,
    },
    {
      name: 'options that get the signal in a statement of their own',
      code: `export async function load(signal: AbortSignal) {
  const options: RequestInit = { method: 'POST' };
  options.signal = signal;
  return await fetch('https://a.example', options);
}`,
    },
    {
      name: 'options that could hold a signal and do not are no signal in reach',
      code: `export async function load() {
  const options: RequestInit = { method: 'POST' };
  return await fetch('https://a.example', options);
}`,
    },
    {
      name: 'reading a file takes the time of a disk',
      code: `import { readFile } from 'node:fs/promises';
export const load = async (signal: AbortSignal) => (signal.aborted ? '' : await readFile('a.txt', 'utf8'));`,
    },
    {
      name: 'a request that is let go on purpose',
      code: `export function count(signal: AbortSignal) {
  signal.throwIfAborted();
  void fetch('https://a.example/count');
}`,
    },
    {
      name: 'a call that takes no signal',
      code: `declare function save(text: string): Promise<void>;
export const run = async (signal: AbortSignal) => { signal.throwIfAborted(); await save('a'); };`,
    },
    {
      name: 'a token that is still to come',
      code: `declare function run(work: (signal: AbortSignal) => Promise<void>, options?: { signal?: AbortSignal }): Promise<void>;
export async function start() {
  let own: AbortSignal | undefined;
  await run(async (signal) => { own = signal; });
  return own;
}`,
    },
    {
      name: 'a stream that is piped through another',
      code: `export const pipe = (signal: AbortSignal, body: ReadableStream<string>) =>
  signal.aborted ? undefined : body.pipeThrough(new TransformStream<string, string>());`,
    },
    {
      name: 'a request of a server whose signal only tells that the client went',
      code: `import type { IncomingMessage } from 'node:http';
export const handle = async (request: IncomingMessage) => [request.url, await fetch('https://a.example')];`,
    },
    {
      name: 'a source of the function itself, which ends what is left when it returns',
      code: `interface CancellationToken { throwIfCancelled(): void }
declare class CancellationTokenSource { readonly token: CancellationToken; cancel(): void; release(): void }
declare function read(options: { token: CancellationToken }): Promise<string>;
declare function mayStop(id: string, left?: AbortSignal): Promise<boolean>;
export async function stop(id: string) {
  const reading = new CancellationTokenSource();
  const body = read({ token: reading.token });
  try {
    return (await mayStop(id)) && (await body);
  } finally {
    reading.cancel();
    reading.release();
  }
}`,
    },
    {
      name: 'a call of a field that was made with the signal',
      code: `declare class Runner { constructor(options: { signal: AbortSignal }); run(options?: { signal?: AbortSignal }): Promise<void> }
export class Job {
  #runner: Runner;
  constructor(signal: AbortSignal) { this.#runner = new Runner({ signal }); }
  async go(signal: AbortSignal) { signal.throwIfAborted(); await this.#runner.run(); }
}`,
    },
    {
      name: 'a listener that is a declared function',
      code: `declare function start(text: string, options?: { signal?: AbortSignal }): Promise<string> & { cancel(): void };
export async function run(signal: AbortSignal) {
  const run = start('why');
  function stop() { run.cancel(); }
  signal.addEventListener('abort', stop);
  return await run;
}`,
    },
    {
      name: 'a listener that is put in as onabort',
      code: `declare function start(text: string, options?: { signal?: AbortSignal }): Promise<string> & { cancel(): void };
export async function run(signal: AbortSignal) {
  const run = start('why');
  signal.onabort = () => { run.cancel(); };
  return await run;
}`,
    },
    {
      name: 'a promise made by hand that a listener settles',
      code: `declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
export const run = (signal: AbortSignal) => new Promise<string>((resolve, reject) => {
  signal.addEventListener('abort', () => { reject(new Error('stopped')); });
  ask('why').then(resolve, reject);
});`,
    },
    {
      name: 'a wrapper whose callback has a name',
      code: `declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
declare function retry<T>(work: (signal?: AbortSignal) => Promise<T>, options?: { signal?: AbortSignal }): Promise<T>;
export async function run(signal: AbortSignal) {
  async function work() { return await ask('why', { signal }); }
  return await retry(work);
}`,
    },
    {
      name: 'the branch that is left when another one has passed it',
      code: `declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
export async function run(signal?: AbortSignal) {
  if (signal) return await ask('why', { signal });
  return await ask('why');
}`,
    },
    {
      name: 'a case of a switch beside one that passes it',
      code: `declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
export async function run(signal?: AbortSignal) {
  switch (typeof signal) {
    case 'undefined': return await ask('why');
    default: return await ask('why', { signal });
  }
}`,
    },
    {
      name: 'options that were decided to be none',
      code: `declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
export const run = async (signal: AbortSignal) => [signal, await ask('why', undefined)];`,
    },
    {
      name: 'clean-up where a guard has left unless there was a stop',
      code: `declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
export async function run(signal: AbortSignal) {
  if (!signal.aborted) return;
  await ask('bye');
}`,
    },
    {
      name: 'clean-up in the other branch of a question',
      code: `declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
export async function run(signal: AbortSignal) {
  if (!signal.aborted) console.log('done');
  else await ask('bye');
}`,
    },
    {
      name: 'clean-up of an object that disposes of itself',
      code: `declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
export const lease = (signal: AbortSignal) => ({ signal, async [Symbol.asyncDispose]() { await ask('bye'); } });`,
    },
    {
      name: 'a source that only ends what is left when its function returns',
      code: `declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
export async function run() {
  const source = new AbortController();
  try { return await ask('why'); } finally { source.abort(); }
}`,
    },
  ],
  invalid: [
    {
      name: 'a request of openai',
      code: `${openai}
export const ask = (signal: AbortSignal) =>
  [signal, client.chat.completions.create({ model: 'm', messages: [] })];`,
      finds: 'lost',
      mended: `${openai}
export const ask = (signal: AbortSignal) =>
  [signal, client.chat.completions.create({ model: 'm', messages: [] }, { signal })];`,
    },
    {
      name: 'a request of Anthropic with options that lack the signal',
      code: `${anthropic}
export async function ask({ abortSignal }: { abortSignal: AbortSignal }) {
  return await client.messages.create({ model: 'm', max_tokens: 1, messages: [] }, { timeout: 1_000 });
}`,
      finds: 'lost',
      mended: `${anthropic}
export async function ask({ abortSignal }: { abortSignal: AbortSignal }) {
  return await client.messages.create({ model: 'm', max_tokens: 1, messages: [] }, { timeout: 1_000, signal: abortSignal });
}`,
    },
    {
      name: 'a stream of Anthropic, which is no promise',
      code: `${anthropic}
export async function ask(signal: AbortSignal) {
  const stream = client.messages.stream({ model: 'm', max_tokens: 1, messages: [] });
  for await (const event of stream) if (signal.aborted) return event;
}`,
      finds: 'lost',
      mended: `${anthropic}
export async function ask(signal: AbortSignal) {
  const stream = client.messages.stream({ model: 'm', max_tokens: 1, messages: [] }, { signal });
  for await (const event of stream) if (signal.aborted) return event;
}`,
    },
    {
      name: 'streamText, which gives an object of promises',
      code: `${ai}
export function ask(signal: AbortSignal) {
  const result = streamText({ model, prompt: 'Why?' });
  return [signal, result.text];
}`,
      finds: 'lost',
      mended: `${ai}
export function ask(signal: AbortSignal) {
  const result = streamText({ model, prompt: 'Why?', abortSignal: signal });
  return [signal, result.text];
}`,
    },
    {
      name: 'a tool of MCP, with the signal in an optional context',
      code: `${mcp}
export async function call(name: string, context?: { signal?: AbortSignal }) {
  return await client.callTool({ name, arguments: {} });
}`,
      finds: 'lost',
      mended: `${mcp}
export async function call(name: string, context?: { signal?: AbortSignal }) {
  return await client.callTool({ name, arguments: {} }, { signal: context?.signal });
}`,
    },
    {
      name: 'fetch, with a controller that a person stops',
      code: `declare const running: Set<AbortController>;
export async function load() {
  const controller = new AbortController();
  running.add(controller);
  await fetch('https://a.example', { method: 'POST' });
}`,
      finds: 'lost',
      mended: `declare const running: Set<AbortController>;
export async function load() {
  const controller = new AbortController();
  running.add(controller);
  await fetch('https://a.example', { method: 'POST', signal: controller.signal });
}`,
    },
    {
      name: 'a command, by an overload that takes one argument more',
      code: `${exec}
export const list = async (signal: AbortSignal) => (signal.aborted ? undefined : await execAsync('git status'));`,
      finds: 'lost',
      mended: `${exec}
export const list = async (signal: AbortSignal) => (signal.aborted ? undefined : await execAsync('git status', { signal }));`,
    },
    {
      name: 'options that were made without the signal',
      code: `export async function load(signal: AbortSignal) {
  const options: RequestInit = { method: 'POST' };
  return [signal, await fetch('https://a.example', options)];
}`,
      finds: 'lost',
      mended: null,
    },
    {
      name: 'a wait',
      code: `import { setTimeout } from 'node:timers/promises';
export async function backOff(signal: AbortSignal) {
  await setTimeout(30_000);
}`,
      finds: 'lost',
      mended: null,
    },
    {
      name: 'a function of the project whose last parameter is the signal',
      code: `declare function search(text: string, signal?: AbortSignal): Promise<string[]>;
export const find = async (text: string, signal: AbortSignal) => [signal, await search(text)];`,
      finds: 'lost',
      mended: `declare function search(text: string, signal?: AbortSignal): Promise<string[]>;
export const find = async (text: string, signal: AbortSignal) => [signal, await search(text, signal)];`,
    },
    {
      name: 'only a limit of time',
      code: `export const load = async (signal: AbortSignal) =>
  [signal, await fetch('https://a.example', { signal: AbortSignal.timeout(1_000) })];`,
      finds: 'limitOnly',
      mended: null,
    },
    {
      name: 'a token, whose signal fetch takes',
      code: `interface CancellationToken { readonly signal: AbortSignal; throwIfCancelled(): void }
export const load = async (token: CancellationToken) => [token, await fetch('https://a.example')];`,
      finds: 'lost',
      mended: `interface CancellationToken { readonly signal: AbortSignal; throwIfCancelled(): void }
export const load = async (token: CancellationToken) => [token, await fetch('https://a.example', { signal: token.signal })];`,
    },
    {
      name: 'a request of a web server, whose client goes away',
      code: `${ai}
export async function POST(request: Request) {
  const { text } = await generateText({ model, prompt: await request.text() });
  return new Response(text);
}`,
      finds: 'lost',
      mended: `${ai}
export async function POST(request: Request) {
  const { text } = await generateText({ model, prompt: await request.text(), abortSignal: request.signal });
  return new Response(text);
}`,
    },
    {
      name: 'work that is done because there was no stop',
      code: `declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
export async function run(signal: AbortSignal) {
  if (!signal.aborted) return await ask('why');
  return '';
}`,
      finds: 'lost',
      mended: `declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
export async function run(signal: AbortSignal) {
  if (!signal.aborted) return await ask('why', { signal });
  return '';
}`,
    },
    {
      name: 'work under the question whether there is a signal',
      code: `declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
export async function run(abortSignal?: AbortSignal) {
  if (abortSignal) return await ask('why');
  return '';
}`,
      finds: 'lost',
      mended: `declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
export async function run(abortSignal?: AbortSignal) {
  if (abortSignal) return await ask('why', { signal: abortSignal });
  return '';
}`,
    },
    {
      name: 'a source that a listener aborts',
      code: `declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
export async function run() {
  const source = new AbortController();
  process.once('SIGINT', () => { source.abort(); });
  return await ask('why');
}`,
      finds: 'lost',
      mended: `declare function ask(text: string, options?: { signal?: AbortSignal }): Promise<string>;
export async function run() {
  const source = new AbortController();
  process.once('SIGINT', () => { source.abort(); });
  return await ask('why', { signal: source.signal });
}`,
    },
  ],
};
