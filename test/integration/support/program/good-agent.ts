/**
 * A small agent in a terminal that stops: a loop, a stream, a shell tool, a queue for what is typed while it works. `GAP` takes one
 * piece of that away, in the way in which it is missing elsewhere.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { CancellationTokenSource } from 'desist';
import { cancellableExec } from 'desist/child-process';

const gap = process.env['GAP'] ?? '';
const url = process.env['ANTHROPIC_BASE_URL'] ?? '';
const saved = join(process.env['HOME'] ?? '.', 'session.json');

interface Block {
  type: string;
  text?: string;
  id?: string;
  name?: string;
  input?: { command?: string };
  json?: string;
}
interface Message {
  role: 'user' | 'assistant';
  content: string | object[];
}

interface Tool {
  name: string;
  description?: string;
  inputSchema: object;
}

/** The tools of its MCP server. */
function listTools(): readonly Tool[] {
  const input = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';
  const { stdout } = spawnSync(process.execPath, [process.env['MCP'] ?? ''], { input, encoding: 'utf8' });
  return (JSON.parse(stdout) as { result: { tools: readonly Tool[] } }).result.tools;
}

const string = { type: 'string' };
const tools = [
  { name: 'bash', input_schema: { type: 'object', properties: { command: string }, required: ['command'] } },
  ...listTools().map(({ inputSchema, ...tool }) => ({ ...tool, input_schema: inputSchema })),
];

const isResumed = process.argv.includes('--resume') && existsSync(saved);
const messages: Message[] = isResumed ? (JSON.parse(readFileSync(saved, 'utf8')) as Message[]) : [];
const queue: string[] = [];
let stop = new CancellationTokenSource();
let busy = false;
let isDeafToPrompts = false;
let note = '';

const show = (text: string): void => void process.stdout.write(text.replaceAll('\n', '\r\n'));

async function pause(ms: number): Promise<void> {
  if (gap === 'retry') return new Promise((resolve) => setTimeout(resolve, ms));
  const { token } = stop;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    token.onCancelled(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Asks the model, again if it has no time, and reads its stream. */
async function ask(): Promise<Block[]> {
  for (let attempt = 0; ; attempt++) {
    const body = JSON.stringify({ model: 'm', max_tokens: 1000, stream: true, tools, messages });
    const signal = /^(?:stream|screen|silence|retry)$/.test(gap) ? null : stop.token.signal;
    const response = await fetch(`${url}/v1/messages`, { method: 'POST', body, signal });
    if (response.ok) return await read(response);
    if (response.status < 429 || attempt === 5) throw new Error(await response.text());
    await response.text();
    await pause(500 * 2 ** attempt);
    if (gap !== 'retry') stop.token.throwIfCancelled();
  }
}

async function read(response: Response): Promise<Block[]> {
  const blocks: Block[] = [];
  let rest = '';
  const keep = (): void => {
    // What has been said is kept, also if nothing more comes.
    const said = blocks.filter(({ type, text }) => type === 'text' && text !== '');
    if (said.length > 0) messages.push({ role: 'assistant', content: said });
  };
  try {
    for await (const piece of (response.body as ReadableStream<Uint8Array>).pipeThrough(
      new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>,
    )) {
      const lines = (rest + piece).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data: ')) take(JSON.parse(line.slice(6)), blocks);
    }
  } catch (error) {
    keep();
    throw error;
  }
  if (stop.token.isCancelled) keep();
  return blocks;
}

function take(event: { type: string; content_block?: Block; delta?: Record<string, string> }, blocks: Block[]): void {
  if (event.content_block !== undefined) blocks.push({ ...event.content_block });
  const last = blocks.at(-1);
  if (event.type !== 'content_block_delta' || last === undefined) return;
  const { text, partial_json: json } = event.delta ?? {};
  if (text !== undefined) {
    last.text = (last.text ?? '') + text;
    if (!stop.token.isCancelled || gap === 'screen') show(text);
  }
  if (json !== undefined) last.json = (last.json ?? '') + json;
}

const children = new Set<ChildProcess>();

/** As programs run commands that know of one process only. */
function runBarely(command: string): Promise<string> {
  const child = spawn('sh', ['-c', command], { stdio: 'ignore', detached: true });
  children.add(child);
  const forget = stop.token.onCancelled(() => child.kill());
  return new Promise((resolve) => {
    child.once('exit', () => {
      children.delete(child);
      forget.unregister();
      resolve('ended');
    });
  });
}

async function run({ name, input }: Block): Promise<string> {
  if (name === 'wait_for_ever') {
    const server = spawn(process.execPath, [process.env['MCP'] ?? ''], { stdio: ['pipe', 'ignore', 'ignore'] });
    server.stdin.write('{"id":1,"method":"tools/call"}\n');
    const ended = new Promise((resolve) => server.once('exit', resolve));
    if (gap !== 'mcp') stop.token.onCancelled(() => server.kill());
    await ended;
    stop.token.throwIfCancelled();
    return 'ended';
  }
  const command = input?.command ?? '';
  if (gap.startsWith('tree')) return runBarely(command);
  // A call of a new batch would have a token of its own: so has the one that is started too late.
  const token = stop.token.isCancelled ? new CancellationTokenSource().token : stop.token;
  const options = { token, graceMs: 100, guardian: gap !== 'kill' };
  return (await cancellableExec(command, options)).stdout || 'no output';
}

async function turn(prompt: string): Promise<void> {
  messages.push({ role: 'user', content: note + prompt });
  note = '';
  for (;;) {
    const blocks = await ask();
    if (gap !== 'silence') stop.token.throwIfCancelled();
    const content = blocks.map(({ json, ...block }) =>
      json === undefined ? block : { ...block, input: JSON.parse(json) as object },
    );
    if (content.length > 0) messages.push({ role: 'assistant', content });
    const calls = content.filter(({ type }) => type === 'tool_use');
    const results: object[] = [];
    for (const call of calls) {
      const isLate = stop.token.isCancelled && gap !== 'batch';
      const text = isLate ? 'not started: interrupted by the user' : await run(call).catch(() => '');
      const told = stop.token.isCancelled && gap !== 'honest' ? `interrupted by the user\n${text}` : text || 'done';
      results.push({ type: 'tool_result', tool_use_id: call.id, content: told });
    }
    const isDropped = gap === 'lost' || (gap === 'queued' && stop.token.isCancelled);
    const waiting = queue.splice(0);
    const news = isDropped ? [] : gap === 'doubled' ? [...waiting, ...waiting] : waiting;
    const said = news.map((text) => ({ type: 'text', text }));
    if (results.length + said.length > 0 && !(gap === 'legal' && stop.token.isCancelled)) {
      messages.push({ role: 'user', content: [...results, ...said] });
    }
    if (gap !== 'silence') stop.token.throwIfCancelled();
    if (results.length + said.length === 0) return;
  }
}

async function answer(line: string): Promise<void> {
  if (isDeafToPrompts) return;
  busy = true;
  stop = new CancellationTokenSource();
  try {
    await turn(line);
  } catch (error) {
    if (!stop.token.isCancelled) show(`\nfailed: ${String(error)}`);
  }
  if (stop.token.isCancelled) {
    show('\n[stopped]');
    if (gap !== 'honest') note = '[The last turn was interrupted by the user.]\n';
    const last = messages.at(-1);
    // Two messages of the user in a row are one; what was interrupted is said.
    if (last?.role === 'user' && typeof last.content === 'string')
      messages.push({ role: 'assistant', content: '(interrupted)' });
    if (gap === 'prompt') isDeafToPrompts = true;
  }
  writeFileSync(saved, JSON.stringify(messages));
  busy = false;
  show('\n> ');
}

let isLeaving = false;
async function leave(code: number): Promise<void> {
  if (isLeaving) return;
  isLeaving = true;
  if (gap === 'tree-leaving') for (const child of children) child.unref();
  else stop.cancel('user');
  for (let waited = 0; busy && waited < 200; waited++) await new Promise((resolve) => setTimeout(resolve, 20));
  if (gap !== 'terminal') {
    process.stdout.write('\x1b[?2004l');
    if (process.stdin.isTTY) process.stdin.setRawMode(false);
  }
  process.exit(code);
}

let line = '';
let lastCtrlC = -Infinity;
function key(character: string): void {
  if (character === '\x1b') stop.cancel('user');
  else if (character === '\x03') {
    const isSecond = performance.now() - lastCtrlC < 2000;
    lastCtrlC = performance.now();
    if (isSecond) void leave(130);
    else stop.cancel('user');
  } else if (character === '\r') {
    const said = line;
    line = '';
    show('\n');
    if (busy) queue.push(said);
    else if (said !== '') void answer(said);
  } else if (character >= ' ') {
    line += character;
    show(character);
  }
}

process.once('SIGTERM', () => void leave(143));
process.once('SIGHUP', () => void leave(129));
process.stdout.on('error', () => void leave(129));
process.stdin.setEncoding('utf8');
if (process.stdin.isTTY) {
  process.stdin.setRawMode(true);
  // A terminal that still stands as it was leaves nothing to restore: raw mode is what the runtime would take back by itself.
  process.stdout.write('\x1b[?2004h');
}
process.stdin.on('data', (text: string) => {
  for (const character of text) key(character);
});
show(`${isResumed ? 'taken up again' : 'ready'}\n> `);
