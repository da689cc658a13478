import type { RuleCases } from '../harness.ts';

const ask = 'declare function ask(text: string, signal?: AbortSignal): Promise<string>;';
const openai = "import OpenAI from 'openai';\nconst client = new OpenAI();";

export const rethrowStopsCases: RuleCases = {
  valid: [
    {
      name: 'a catch that always throws',
      code: `${ask}
export async function run(signal: AbortSignal) {
  try { return await ask('a', signal); } catch (error) { throw new Error('no answer', { cause: error }); }
}`,
    },
    {
      name: 'branches that all throw',
      code: `${ask}
export async function run(signal: AbortSignal) {
  try { return await ask('a', signal); } catch (error) {
    if (error instanceof TypeError) throw new Error('wrong', { cause: error });
    else { switch (String(error)) { case 'busy': throw new Error('busy'); default: throw new Error('lost'); } }
  }
}`,
    },
    {
      name: 'a catch that asks for the stop first',
      code: `${ask}
export async function run(signal: AbortSignal) {
  try { return await ask('a', signal); } catch (error) {
    if (signal.aborted) throw error;
    return 'failed';
  }
}`,
    },
    {
      name: 'a catch that knows the name of the error',
      code: `${ask}
export async function run(signal: AbortSignal) {
  try { return await ask('a', signal); } catch (error) {
    return (error as Error).name === 'AbortError' ? 'gone' : 'failed';
  }
}`,
    },
    {
      name: 'an error that is stored and thrown later',
      code: `${ask}
export async function run(signal: AbortSignal) {
  let last: unknown;
  for (let round = 0; round < 3; round += 1) {
    try { return await ask('a', signal); } catch (error) { last = error; }
  }
  throw last;
}`,
    },
    {
      name: 'an error that is stored in a field and thrown by another method',
      code: `${ask}
export class Reader {
  #error: unknown;
  async read(signal: AbortSignal) { try { return await ask('a', signal); } catch (error) { this.#error = error; } }
  check() { if (this.#error !== undefined) throw this.#error; }
}`,
    },
    {
      name: 'an error that is handed on as an error',
      code: `${ask}
export const stream = (signal: AbortSignal) => new ReadableStream<string>({
  async start(controller) { try { controller.enqueue(await ask('a', signal)); } catch (error) { controller.error(error); } },
});`,
    },
    {
      name: 'a function of the project that asks for the stop',
      code: `${ask}
function textOf(error: unknown) { if ((error as Error).name === 'AbortError') throw error; return String(error); }
export async function run(signal: AbortSignal) {
  try { return await ask('a', signal); } catch (error) { return textOf(error); }
}`,
    },
    {
      name: 'code that asks after the try',
      code: `${ask}
export async function run(signal: AbortSignal) {
  let text = '';
  try { text = await ask('a', signal); } catch { text = 'failed'; }
  signal.throwIfAborted();
  return text;
}`,
    },
    {
      name: 'a loop that asks before its next round',
      code: `${ask}
export async function run(signal: AbortSignal) {
  const texts: string[] = [];
  while (!signal.aborted) { try { texts.push(await ask('a', signal)); } catch { texts.push(''); } }
  return texts;
}`,
    },
    {
      name: 'work that was given only a limit of time',
      code: `export async function load() {
  try { return await fetch('https://a.example', { signal: AbortSignal.timeout(1_000) }); } catch { return undefined; }
}`,
    },
    {
      name: 'work that was given a controller of its own, for a limit',
      code: `export async function load() {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), 1_000);
  try { return await fetch('https://a.example', { signal: limit.signal }); } catch { return undefined; } finally { clearTimeout(timer); }
}`,
    },
    {
      name: 'work that was given options with only a limit of time',
      code: `export async function load() {
  const options: RequestInit = {};
  options.signal = AbortSignal.timeout(1_000);
  try { return await fetch('https://a.example', options); } catch { return undefined; }
}`,
    },
    {
      name: 'work that was given no signal',
      code: `${ask}
export async function run() { try { return await ask('a'); } catch { return 'failed'; } }`,
    },
    {
      name: 'work that ends something',
      code: `${ask}
export async function run(signal: AbortSignal) {
  try { return 'done'; } finally { try { await ask('unlock', signal); } catch { /* gone */ } }
}`,
    },
    {
      name: 'a program that ends there',
      code: `${ask}
export async function run(signal: AbortSignal) {
  try { await ask('a', signal); } catch (error) { console.error(error); process.exit(1); }
}`,
    },
    {
      name: 'work whose signal is that of a controller that nobody holds',
      code: `declare function summarise(options: { abortSignal: AbortSignal }): Promise<string>;
export async function summary(text: string): Promise<string> {
  try {
    return await summarise({ abortSignal: new AbortController().signal });
  } catch {
    return text;
  }
}`,
    },
    {
      name: 'what was shown is removed, stopped or not',
      code: `declare const browser: { call(script: string, signal?: AbortSignal): Promise<void> };
export async function removeOverlay(signal?: AbortSignal): Promise<void> {
  try {
    await browser.call('remove()', signal);
  } catch (error) {
    console.warn(error);
  }
}`,
    },
    {
      name: 'errors that are gathered and thrown together later',
      code: `declare function runTool(call: string, options: { signal: AbortSignal }): Promise<string>;
export async function attempt(signal: AbortSignal) {
  const errors: unknown[] = [];
  for (let round = 0; round < 3; round += 1) {
    try { return await runTool('a', { signal }); } catch (error) { errors.push(error); }
  }
  throw new AggregateError(errors);
}`,
    },
    {
      name: 'a question right after the end of a chain',
      code: `declare function runTool(call: string, options: { signal: AbortSignal }): Promise<string>;
export async function attempt(signal: AbortSignal) {
  const text = await runTool('a', { signal }).catch(() => undefined);
  signal.throwIfAborted();
  return text;
}`,
    },
    {
      name: 'a function of the project, by its name, that asks',
      code: `declare function runTool(call: string, options: { signal: AbortSignal }): Promise<string>;
function textOf(error: unknown) { if (error instanceof Error && error.name === 'AbortError') throw error; return String(error); }
export const attempt = async (signal: AbortSignal) => await runTool('a', { signal }).catch(textOf);`,
    },
    {
      name: 'work that is let go with its errors',
      code: `declare function runTool(call: string, options: { signal: AbortSignal }): Promise<string>;
export function attempt(signal: AbortSignal) { setTimeout(() => runTool('a', { signal }).catch(() => undefined), 10); }`,
    },
    {
      name: 'a promise that is kept, and that nobody waits for here',
      code: `declare function runTool(call: string, options: { signal: AbortSignal }): Promise<string>;
export function attempt(signal: AbortSignal) { const running = runTool('a', { signal }).catch(() => undefined); console.log(running); }`,
    },
  ],
  invalid: [
    {
      name: 'a request of openai that becomes a text',
      code: `${openai}
export async function run(signal: AbortSignal) {
  try { return await client.models.list({ signal }); } catch (error) { return String(error); }
}`,
      finds: 'result',
      mended: `${openai}
export async function run(signal: AbortSignal) {
  try { return await client.models.list({ signal }); } catch (error) { signal.throwIfAborted(); return String(error); }
}`,
    },
    {
      name: 'an error that becomes a log',
      code: `${ask}
export async function run(options: { signal?: AbortSignal }) {
  try { await ask('a', options.signal); } catch (error) { console.error(error); }
}`,
      finds: 'runsOn',
      mended: `${ask}
export async function run(options: { signal?: AbortSignal }) {
  try { await ask('a', options.signal); } catch (error) { options.signal?.throwIfAborted(); console.error(error); }
}`,
    },
    {
      name: 'an error that vanishes',
      code: `${ask}
export async function run(signal: AbortSignal) {
  try { await ask('a', signal); } catch {}
}`,
      finds: 'empty',
      mended: `${ask}
export async function run(signal: AbortSignal) {
  try { await ask('a', signal); } catch { signal.throwIfAborted();}
}`,
    },
    {
      name: 'a loop that goes on to its next round',
      code: `${ask}
export async function run(signal: AbortSignal, urls: string[]) {
  for (const url of urls) { try { await ask(url, signal); } catch (error) { console.warn(error); } }
}`,
      finds: 'loop',
      mended: `${ask}
export async function run(signal: AbortSignal, urls: string[]) {
  for (const url of urls) { try { await ask(url, signal); } catch (error) { signal.throwIfAborted(); console.warn(error); } }
}`,
    },
    {
      name: 'a stream that is read in the try',
      code: `declare function chunks(signal: AbortSignal): AsyncIterable<string>;
export async function* run(signal: AbortSignal) {
  try { for await (const chunk of chunks(signal)) yield chunk; } catch (error) { yield 'failed: ' + String(error); }
}`,
      finds: 'result',
      mended: `declare function chunks(signal: AbortSignal): AsyncIterable<string>;
export async function* run(signal: AbortSignal) {
  try { for await (const chunk of chunks(signal)) yield chunk; } catch (error) { signal.throwIfAborted(); yield 'failed: ' + String(error); }
}`,
    },
    {
      name: 'a promise with a catch of its own',
      code: `${ask}
export const run = async (signal: AbortSignal) => await ask('a', signal).catch(() => 'failed');`,
      finds: 'result',
      mended: null,
    },
    {
      name: 'several calls at once',
      code: `${ask}
export async function run(signal: AbortSignal) {
  try { return await Promise.all([ask('a', signal), ask('b', signal)]); } catch { return []; }
}`,
      finds: 'result',
      mended: `${ask}
export async function run(signal: AbortSignal) {
  try { return await Promise.all([ask('a', signal), ask('b', signal)]); } catch { signal.throwIfAborted(); return []; }
}`,
    },
    {
      name: 'a catch at the end of a chain',
      code: `declare function runTool(call: string, options: { signal: AbortSignal }): Promise<string>;
export const attempt = async (signal: AbortSignal) => await runTool('a', { signal }).then((text) => text.trim()).catch(() => '');`,
      finds: 'result',
      mended: null,
    },
    {
      name: 'a catch in what a short function returns',
      code: `declare function runTool(call: string, options: { signal: AbortSignal }): Promise<string>;
export const attempt = (signal: AbortSignal) => runTool('a', { signal }).catch(() => '');`,
      finds: 'result',
      mended: null,
    },
    {
      name: 'a catch by the name of a function',
      code: `declare function runTool(call: string, options: { signal: AbortSignal }): Promise<string>;
const textOf = (error: unknown) => String(error);
export const attempt = async (signal: AbortSignal) => await runTool('a', { signal }).catch(textOf);`,
      finds: 'result',
      mended: null,
    },
    {
      name: 'a catch of a promise that is awaited later',
      code: `declare function runTool(call: string, options: { signal: AbortSignal }): Promise<string>;
export async function attempt(signal: AbortSignal) { const running = runTool('a', { signal }).catch(() => ''); return await running; }`,
      finds: 'result',
      mended: null,
    },
    {
      name: 'a catch around work for each of a list',
      code: `declare function runTool(call: string, options: { signal: AbortSignal }): Promise<string>;
export async function attempt(signal: AbortSignal) {
  try { return await Promise.all(['a'].map((call) => runTool(call, { signal }))); } catch (error) { return [String(error)]; }
}`,
      finds: 'result',
      mended: `declare function runTool(call: string, options: { signal: AbortSignal }): Promise<string>;
export async function attempt(signal: AbortSignal) {
  try { return await Promise.all(['a'].map((call) => runTool(call, { signal }))); } catch (error) { signal.throwIfAborted(); return [String(error)]; }
}`,
    },
  ],
};
