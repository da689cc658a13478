import type { RuleCases } from '../harness.ts';

const ai = "import { tool } from 'ai';\nimport { z } from 'zod';";
const schema = 'inputSchema: z.object({ url: z.string() })';
const table = `interface Tool { execute(input: string, signal?: AbortSignal): Promise<string> }
declare function ask(text: string): Promise<string>;`;
const server =
  "import { McpServer } from '@modelcontextprotocol/server';\nimport { z } from 'zod';\ndeclare const server: McpServer;\ndeclare function ask(text: string): Promise<string>;";

export const takeSignalCases: RuleCases = {
  valid: [
    {
      name: 'a tool that takes the signal and passes it on',
      code: `${ai}
export const load = tool({ ${schema}, execute: async ({ url }, { abortSignal }) => (await fetch(url, { ...(abortSignal && { signal: abortSignal }) })).status });`,
    },
    {
      name: 'a tool that takes the whole of its options',
      code: `${ai}
declare function load(url: string, options: { abortSignal?: AbortSignal }): Promise<string>;
export const tools = { load: tool({ ${schema}, execute: async ({ url }, options) => await load(url, options) }) };`,
    },
    {
      name: 'a tool that answers at once',
      code: `${ai}
export const shout = tool({ ${schema}, execute: ({ url }) => url.toUpperCase() });`,
    },
    {
      name: 'a tool that reads a file, in the time of a disk',
      code: `${table}
import { readFile } from 'node:fs/promises';
export const read: Tool = { execute: async (path) => await readFile(path, 'utf8') };`,
    },
    {
      name: 'a tool that was given another type on purpose',
      code: `${table}
export const bare = { execute: async (text: string) => await ask(text) } as any;`,
    },
    {
      name: 'a method of a class that reads its signal',
      code: `${table}
export class Ask implements Tool {
  async execute(input: string, signal?: AbortSignal) {
    signal?.throwIfAborted();
    return await ask(input);
  }
}`,
    },
    {
      name: 'a signal that is taken out of what goes on',
      code: `declare function keyOf(options: object): Promise<string>;
export const key = async ({ signal: _, ...rest }: { signal: AbortSignal; text: string }) => await keyOf(rest);`,
    },
    {
      name: 'a parameter that stands there for the one behind it',
      code: `declare function branch(signal: AbortSignal, work: (signal: AbortSignal, fork: () => Promise<void>) => Promise<void>): Promise<void>;
export const run = (signal: AbortSignal) => branch(signal, async (_signal, fork) => { await fork(); });`,
    },
    {
      name: 'a function of the context, which has the signal of the context',
      code: `interface Context { signal: AbortSignal; commit(work: () => Promise<string>): Promise<string> }
interface CommitTool { run(input: string, context: Context): Promise<string> }
declare function save(text: string): Promise<string>;
export const write: CommitTool = { run: async (input, { commit }) => await commit(async () => await save(input)) };`,
    },
    {
      name: 'a listener is told of something else',
      code: `declare const bus: { on(name: string, heard: (text: string, signal: AbortSignal) => void): void };
declare function save(text: string): Promise<string>;
bus.on('said', async (text) => { await save(text); });`,
    },
    {
      name: 'a function that gets the signal from around it',
      code: `${table}
export const toolFor = (signal: AbortSignal): Tool => ({ execute: async (text) => { signal.throwIfAborted(); return await ask(text); } });`,
    },
    {
      name: 'a handler of MCP that uses the signal of its request',
      code: `${server}
server.registerTool('ask', { inputSchema: z.object({ text: z.string() }) }, async ({ text }, context) => {
  context.mcpReq.signal.throwIfAborted();
  return { content: [{ type: 'text', text: await ask(text) }] };
});`,
    },
    {
      name: 'a callback of no tool, in which nothing could take the signal',
      code: `declare function each(work: (text: string, signal: AbortSignal) => Promise<void>): Promise<void>;
declare function save(text: string): Promise<void>;
export const all = () => each(async (text) => { await save(text); });`,
    },
    {
      name: 'a tool whose only call was decided to get no signal',
      code: `declare function delay(signal: AbortSignal | undefined, ms: number): Promise<void>;
${table}
export const deaf: Tool = { execute: async () => { await delay(undefined, 300); return 'deployed'; } };`,
    },
    {
      name: 'a tool that writes a file by way of functions of the project, in the time of a disk',
      code: `${table}
import { mkdir, writeFile } from 'node:fs/promises';
async function keep(path: string, text: string) {
  await mkdir(path, { recursive: true });
  await writeFile(path, text);
}
async function write(path: string) {
  await keep(path, 'text');
  return 'written';
}
export const tool: Tool = { execute: async (path) => await write(path) };`,
    },
    {
      name: 'a tool over an interface that takes no signal and says nothing of how long it lasts',
      code: `${table}
interface Files { write(path: string, text: string): Promise<void> }
export const write = (files: Files): Tool => ({ execute: async (path) => { await files.write(path, 'text'); return 'ok'; } });`,
    },
    {
      name: 'a promise made by hand that is settled at once',
      code: `${table}
export const tool: Tool = { execute: async (text) => await new Promise<string>((resolve) => setImmediate(() => { resolve(text); })) };`,
    },
    {
      name: 'a promise made by hand around the reading of a file',
      code: `${table}
import { readFile } from 'node:fs';
export const tool: Tool = {
  execute: (path) => new Promise((resolve, reject) => readFile(path, 'utf8', (error, text) => { if (error) reject(error); else resolve(text); })),
};`,
    },
    {
      name: 'a promise made by hand, by a function of the project, around a promise of a disk',
      code: `${table}
import { readFile } from 'node:fs/promises';
const read = (path: string) => new Promise<string>((resolve, reject) => { readFile(path, 'utf8').then(resolve, reject); });
export const tool: Tool = { execute: async (path) => await read(path) };`,
    },
    {
      name: 'a promise made by hand that its signal settles',
      code: `${table}
import { spawn } from 'node:child_process';
export const tool: Tool = {
  execute: (command, signal) => new Promise((resolve) => {
    signal?.addEventListener('abort', () => { resolve('stopped'); });
    spawn(command).on('close', () => { resolve('done'); });
  }),
};`,
    },
    {
      name: 'a tool in a field of a class that reads its signal',
      code: `${table}
export class Ask implements Tool { execute = async (text: string, signal?: AbortSignal) => { signal?.throwIfAborted(); return await ask(text); }; }`,
    },
  ],
  invalid: [
    {
      name: 'a tool of the AI SDK leaves its options out',
      code: `${ai}
export const load = tool({ ${schema}, execute: async ({ url }) => (await fetch(url)).status });`,
      finds: 'leftOut',
      mended: `${ai}
export const load = tool({ ${schema}, execute: async ({ url }, { abortSignal }) => (await fetch(url)).status });`,
    },
    {
      name: 'a tool of the AI SDK takes other options',
      code: `${ai}
export const load = tool({ ${schema}, execute: async ({ url }, { toolCallId }) => [toolCallId, (await fetch(url)).status] });`,
      finds: 'unread',
      mended: null,
    },
    {
      name: 'a tool of a table leaves the signal out',
      code: `${table}
export const tools: Record<string, Tool> = { ask: { execute: async (text) => await ask(text) } };`,
      finds: 'leftOut',
      mended: `${table}
export const tools: Record<string, Tool> = { ask: { execute: async (text, signal) => await ask(text) } };`,
    },
    {
      name: 'a method of a class leaves out what its interface offers',
      code: `${table}
export class Ask implements Tool {
  async execute(input: string) {
    return await ask(input);
  }
}`,
      finds: 'leftOut',
      mended: null,
    },
    {
      name: 'a method of a class never reads what its base gives it',
      code: `interface Options { signal?: AbortSignal }
abstract class Base { protected abstract _run(input: string, options: Options): Promise<string> }
declare function ask(text: string): Promise<string>;
export class Ask extends Base {
  protected async _run(input: string, _options: Options) { return await ask(input); }
}`,
      finds: 'unread',
      mended: null,
    },
    {
      name: 'a function that is put into the table by its name',
      code: `${table}
async function run(text: string) { return await ask(text); }
export const tool: Tool = { execute: run };`,
      finds: 'byName',
      mended: null,
    },
    {
      name: 'a function with a signal that it never reads',
      code: `declare function ask(text: string): Promise<string>;
export async function twice(text: string, signal: AbortSignal) { return [await ask(text), await ask(text)]; }`,
      finds: 'unread',
      mended: null,
    },
    {
      name: 'a handler of MCP leaves its context out',
      code: `${server}
server.registerTool('ask', { inputSchema: z.object({ text: z.string() }) }, async ({ text }) => ({
  content: [{ type: 'text', text: await ask(text) }],
}));`,
      finds: 'leftOut',
      mended: null,
    },
    {
      name: 'a query whose request could take the signal it is offered',
      code: `declare function query(options: { queryFn: (context: { signal: AbortSignal }) => Promise<Response> }): void;
query({ queryFn: () => fetch('https://a.example') });`,
      finds: 'leftOut',
      mended: null,
    },
    {
      name: 'a tool whose work is a process that a function of the project starts',
      code: `${table}
import { execFile } from 'node:child_process';
const git = (folder: string) => new Promise<string>((resolve) => execFile('git', ['log'], { cwd: folder }, (_error, out) => resolve(out)));
async function log(folder: string) { return (await git(folder)).trim(); }
export const tool: Tool = { execute: async (folder, _signal) => await log(folder) };`,
      finds: 'unread',
      mended: null,
    },
    {
      name: 'a tool that waits for a process in its own body',
      code: `${table}
import { spawn } from 'node:child_process';
export const tool: Tool = { execute: async (command) => await new Promise<string>((resolve) => { spawn(command).on('close', () => { resolve('done'); }); }) };`,
      finds: 'leftOut',
      mended: `${table}
import { spawn } from 'node:child_process';
export const tool: Tool = { execute: async (command, signal) => await new Promise<string>((resolve) => { spawn(command).on('close', () => { resolve('done'); }); }) };`,
    },
    {
      name: 'a tool that waits for somebody who was given the promise',
      code: `${table}
const waiting = new Map<string, (answer: string) => void>();
export const tool: Tool = { execute: (question, _signal) => new Promise((resolve) => { waiting.set(question, resolve); }) };`,
      finds: 'unread',
      mended: null,
    },
    {
      name: 'a tool that waits for an event',
      code: `${table}
declare const bus: NodeJS.EventEmitter;
export const tool: Tool = { execute: (name, _signal) => new Promise((resolve) => bus.once(name, () => { resolve('came'); })) };`,
      finds: 'unread',
      mended: null,
    },
    {
      name: 'a tool in a field of a class',
      code: `${table}
export class Ask implements Tool { execute = async (text: string) => await ask(text); }`,
      finds: 'leftOut',
      mended: null,
    },
  ],
};
