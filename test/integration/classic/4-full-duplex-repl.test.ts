import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { PRIORITY_INSTRUCTION } from '../../../src/index.ts';
import { startModelServer, type ModelReply, type ModelRequest, type ModelServer } from '../../../src/testing/index.ts';
import { classicSystem, quietMs, type Stage, startMs } from '../support/classic/criterion.ts';
import { askAfterFg } from '../support/classic/jobs.ts';
import { CTRL_C, ESC, Program, until } from '../support/classic/program.ts';

const { criterion, inTable } = classicSystem('4 · Full-duplex REPL');
const prompt = /you> \x1b\[6G/;
const mark = '[PRIORITY USER MESSAGE]: ';

interface Play {
  readonly program: Program;
  readonly server: ModelServer;
}

let shared: Play;
const unplanted: Stage = { plant: undefined, closers: [] };
beforeAll(async () => {
  shared = await open(unplanted);
});
afterAll(async () => {
  for (const close of unplanted.closers.reverse()) await close();
});

type Messages = readonly { readonly role: string; readonly content: unknown }[];

function messages({ body }: ModelRequest): Messages {
  return body['messages'] as Messages;
}

/** What a person typed into this turn, and what the model answers. */
function reply(request: ModelRequest): ModelReply {
  const sent = messages(request);
  const isPrompt = ({ content }: Messages[number]): boolean => typeof content === 'string' && !content.startsWith(mark);
  if (String(sent.at(-1)?.content).startsWith(mark)) return 'Understood.';
  const begin = sent.findLastIndex(isPrompt);
  const round = (sent.length - begin + 1) / 2;
  const story = { text: 'Once upon a time. '.repeat(8), chunkMs: 25 };
  switch (sent[begin]?.content) {
    case 'a story':
      return story;
    case 'a long story':
      return { ...story, text: story.text.repeat(5) };
    case 'a plan':
      return round > 2 ? 'Planned.' : { text: 'I work.', toolCalls: [{ name: 'work', input: {} }] };
    case 'odd':
      return round > 1 ? 'Tried.' : { toolCalls: [{ name: 'frobnicate', input: {} }] };
    case 'delegate':
      return round > 1 ? 'Delegated.' : { toolCalls: [{ name: 'explore', input: {} }] };
    case 'explore': {
      const toolCalls = [{ name: 'work', input: { steps: 0 } }];
      if (round > 150) return 'Explored.';
      return round === 150 ? { text: 'Deep down here. '.repeat(24), chunkMs: 25, toolCalls } : { toolCalls };
    }
    default:
      return 'Fine.';
  }
}

async function open({ plant, closers }: Stage, more: Readonly<Record<string, string>> = {}): Promise<Play> {
  const server = await startModelServer({ script: reply });
  closers.push(() => server.close());
  const env = { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: server.url, ...more };
  const program = await Program.open('4-full-duplex-repl', { plant, env });
  closers.push(() => program.close());
  await program.sees(prompt, startMs);
  return { program, server };
}

/** Sends a prompt to the program that the checks share, or to one of its own with the gap; `n` is its first request. */
async function ask(stage: Stage, text: string, seen: RegExp): Promise<Play & { readonly n: number }> {
  const play = stage.plant === undefined ? shared : await open(stage);
  const n = play.server.requests.length;
  play.program.type(`${text}\r`);
  await play.program.sees(seen, startMs);
  return { ...play, n };
}

async function inject({ program }: Play, text: string): Promise<void> {
  program.type('`');
  await program.sees(/inject> /, startMs);
  program.type(`${text}\r`);
  await program.sees(new RegExp(`inject> ${text}[^\\n]*\\n`), startMs);
}

/** What was typed while the agent worked, as this request has it. */
function injected(request: ModelRequest | undefined): unknown[] {
  const contents = request === undefined ? [] : messages(request).map(({ content }) => content);
  return contents.filter((content) => String(content).startsWith(mark));
}

describe('a full-duplex REPL', () => {
  criterion('One ESC does nothing but hint, ESC ESC cancels at once, and the prompt is back', {
    gap: 'one ESC, pressed by mistake, ended the work',
    plant: { file: 'main.ts', from: "escape: 'double',", to: '', red: /never saw .*ESC again/ },
    async check(stage) {
      const { program } = await ask(stage, 'a long story', /upon/);
      program.type(ESC);
      await program.sees(/ESC again to cancel\./, 1500);
      await program.sees(/upon/);
      program.type(ESC + ESC);
      await program.sees(/Cancelled\./, 1500);
      expect(await program.sees(prompt)).toMatch(/^\s*you> $/);
    },
  });

  criterion('Ctrl+C cancels at once, and the program goes on', {
    gap: 'Ctrl+C ended the program',
    plant: {
      file: 'main.ts',
      from: "escape: 'double',",
      to: "escape: 'double', ctrlC: false,",
      red: /never saw .*Cancelled/,
    },
    async check(stage) {
      const { program } = await ask(stage, 'a long story', /upon/);
      program.type(CTRL_C);
      await program.sees(/Cancelled\./, 1500);
      expect(await program.sees(prompt)).toMatch(/^\s*you> $/);
    },
  });

  criterion('After the cancel not one more byte of a tool that goes on printing reaches the screen', {
    gap: 'the tool printed over the next prompt',
    plant: { file: 'main.ts', from: 'output.stream(turn.token)', to: 'output.stream(null)', red: /step \d+ of 10/ },
    async check(stage) {
      const { program } = await ask(stage, 'a plan', /step 2 of 10/);
      program.type(ESC + ESC);
      await program.sees(/Cancelled\./, 1500);
      expect(await program.sees(prompt)).toMatch(/^\s*you> $/);
      await sleep(quietMs(250)); // two more steps of the tool
      expect(program.unread).toBe('');
    },
  });

  criterion('A line behind the backtick goes to the model, marked, before its next call', {
    gap: 'what was typed waited for the end of the work',
    plant: {
      file: 'main.ts',
      from: 'turn.model(({ messages, token, partial }) => {',
      to: 'turn.model(({ token, partial }) => { const { messages } = chat;',
      red: /expected \[\] to deeply equal/,
    },
    async check(stage) {
      const play = await ask(stage, 'a plan', /step 1 of 10/);
      const { program, server, n } = play;
      await inject(play, 'be brief');
      await until('the next request', () => server.requests.length > n + 1);
      // Between two tools: the first has run, the second has not been asked for.
      expect(injected(server.requests[n])).toEqual([]);
      expect(injected(server.requests[n + 1])).toEqual([`${mark}be brief`]);
      expect(server.requests[n + 1]?.body['system']).toBe(PRIORITY_INSTRUCTION);
      await program.sees(/Understood\./);
      await program.sees(prompt);
    },
  });

  criterion('A line reaches a sub-agent that is 150 rounds deep before its next call', {
    gap: 'the line waited for the end of the sub-agent',
    plant: {
      file: 'main.ts',
      from: "subagent('explorer')",
      to: "new InterruptController({ name: 'explorer' })",
      red: /expected \[\] to deeply equal/,
    },
    async check(stage) {
      const play = await ask(stage, 'delegate', /Deep down/);
      const { program, server, n } = play;
      expect(server.requests.length - n).toBe(151); // the sub-agent's 150th
      await inject(play, 'look in src');
      await until('the next request', () => server.requests.length > n + 151);
      expect(messages(server.requests[n + 151]!)[0]?.content).toBe('explore');
      expect(injected(server.requests[n + 151])).toEqual([`${mark}look in src`]);
      await program.sees(/Delegated\./);
      await program.sees(prompt);
    },
  });

  criterion('Stream and line never mix: the output is held while the line is open, and whole afterwards', {
    gap: 'the stream was written into the line',
    plant: {
      file: 'main.ts',
      from: 'screen.write(sofar.text.slice(shown))',
      to: 'process.stdout.write(sofar.text.slice(shown))',
      red: /inject> be/,
    },
    async check(stage) {
      const { program, server, n } = await ask(stage, 'a long story', /upon/);
      program.type('`');
      await program.sees(/inject> /);
      program.type('be');
      const request = server.requests[n]!;
      const written = request.deltasWritten;
      await until('six more words of the story', () => request.deltasWritten >= written + 6);
      program.type(' kind');
      await sleep(500);
      // Held, it stays so however long; with the gap it is so between two words at most.
      for (let looks = 0; looks < 10; looks += 1) {
        await sleep(50);
        expect((await program.rows()).findLast((row) => row.includes('inject>'))?.trimEnd()).toBe('inject> be kind');
      }
      program.type('\r');
      const rest = await program.sees(/Understood\./, 15_000);
      expect(rest.replace(/inject> be kind/g, '').match(/Once|time\./g)?.length).toBeGreaterThan(70);
      await program.sees(prompt);
    },
  });

  criterion('A window whose size changes all the time takes no key and no text', {
    gap: 'the reader of the keyboard ended at the first SIGWINCH',
    plant: {
      file: 'main.ts',
      from: 'const chat = new Conversation',
      to: "process.stdout.once('resize', () => void terminal.close()); const chat = new Conversation",
      red: /never saw/,
    },
    async check(stage) {
      const play = await ask(stage, 'a plan', /step 1 of 10/);
      const { program, server, n } = play;
      const before = injected(server.requests[n]);
      program.type('`');
      await program.sees(/inject> /);
      for (const [at, key] of [...'first'].entries()) {
        for (let times = 0; times < 20; times++) program.resize(20 + ((at * 37 + times * 11) % 100), 5 + times);
        program.type(key);
        await sleep(10);
      }
      program.resize(100, 30);
      program.type('\r');
      await program.sees(/Understood\./);
      await program.sees(prompt);
      expect(injected(server.requests[n + 1])).toEqual([...before, `${mark}first`]);
    },
  });

  criterion('Several messages arrive in order, once each', {
    gap: 'each message took the place of the last one',
    plant: {
      file: 'main.ts',
      from: 'turn.model(({ messages, token, partial }) => {',
      to: "turn.model(({ messages: all, token, partial }) => { const messages = all.filter(({ role }, at) => role !== 'user' || typeof all[at]?.content !== 'string' || typeof all[at + 1]?.content !== 'string');",
      red: /to deeply equal/,
    },
    async check(stage) {
      const play = await ask(stage, 'a plan', /step 1 of 10/);
      const { program, server, n } = play;
      const before = injected(server.requests[n]);
      await inject(play, 'first');
      await inject(play, 'second');
      await program.sees(/Understood\./);
      await program.sees(prompt);
      expect(injected(server.requests[n + 1])).toEqual([...before, `${mark}first`, `${mark}second`]);
      program.type('thanks\r');
      await program.sees(/Fine\./);
      await program.sees(prompt);
      expect(injected(server.requests.at(-1))).toEqual([...before, `${mark}first`, `${mark}second`]);
    },
  });

  criterion('A message sent during the final answer is answered in the same turn', {
    gap: 'the loop ended with the answer, and nobody read the message',
    plant: {
      file: 'main.ts',
      from: 'if (reply.isLast) return;',
      to: 'if (reply.calls.length === 0) return;',
      red: /never saw .*Understood/,
    },
    async check(stage) {
      const play = await ask(stage, 'a story', /upon/);
      await inject(play, 'and a cat');
      await play.program.sees(/Understood\./, 2500);
      await play.program.sees(prompt);
    },
  });

  criterion('A line that is still open when the answer ends is the next prompt', {
    gap: 'a line that was finished too late was lost',
    plant: { file: 'main.ts', from: 'late.shift()', to: 'undefined', red: /never: the next request/ },
    async check(stage) {
      const { program, server, n } = await ask(stage, 'a story', /upon/);
      program.type('`also this');
      await program.sees(/inject> /);
      await until('the end of the answer', () => server.requests[n]?.closedAt !== undefined);
      await sleep(50);
      program.type('\r');
      await until('the next request', () => server.requests.length > n + 1, 1500);
      expect(messages(server.requests[n + 1]!).at(-1)?.content).toBe('also this');
      await program.sees(/Fine\./);
      await program.sees(prompt);
    },
  });

  criterion('Without the feature the backtick is a character, and the request has no word of it', {
    gap: 'every caller got the new instruction',
    plant: {
      file: 'main.ts',
      from: "process.env['INJECT'] !== 'off'",
      to: 'true',
      red: /inject> /,
    },
    async check(stage) {
      const { program, server } = await open(stage, { INJECT: 'off' });
      program.type('a story\r');
      await program.sees(/upon/);
      program.type('`x');
      expect(await program.sees(prompt)).not.toContain('inject> ');
      await program.sees(/`x/); // typed ahead
      program.type('\r');
      await program.sees(/Fine\./);
      expect(server.requests.map(({ body }) => Object.keys(body).sort())).toEqual(
        Array(2).fill(['max_tokens', 'messages', 'model', 'stream', 'tools']),
      );
    },
  });

  criterion('Lines that are pasted at the prompt are one message', {
    gap: 'all but the first line were lost',
    plant: {
      file: 'main.ts',
      from: "[...typed, lines.line].join('\\n')",
      to: 'line',
      red: /to be 'one\\ntwo\\nthree'/,
    },
    async check(stage) {
      const { program, server, n } = await ask(stage, 'one\rtwo\rthree', /Fine\./);
      expect(messages(server.requests[n]!).at(-1)?.content).toBe('one\ntwo\nthree');
      await program.sees(prompt);
    },
  });

  criterion('A tool that there is not is an error for the model, and runs nothing', {
    gap: 'every name that was not known was the only tool',
    plant: {
      file: 'main.ts',
      from: "if (call.name !== 'work') throw new TypeError(`there is no tool ${call.name}`);",
      to: '',
      red: /to contain 'there is no tool frobnicate'/,
    },
    async check(stage) {
      const { program, server, n } = await ask(stage, 'odd', /Tried\./);
      expect(JSON.stringify(messages(server.requests[n + 1]!).at(-1))).toContain('there is no tool frobnicate');
      await program.sees(prompt);
    },
  });

  criterion('Ctrl+Z at the prompt and `fg`: the prompt is back, and hears', {
    gap: 'after `fg` the program ended',
    plant: {
      file: 'main.ts',
      from: 'suspendOnCtrlZ(lines);',
      to: '',
      red: /never saw .*Once upon/,
    },
    check: (stage) =>
      askAfterFg(
        '4-full-duplex-repl',
        stage,
        { ANTHROPIC_API_KEY: '' },
        { prompt: /you> /, question: 'a story', answer: /Once upon[^]*you> / },
      ),
  });

  criterion('At the prompt Ctrl+C leaves when it comes twice, with 130, and says so', {
    gap: 'one Ctrl+C at the prompt was the end, and of success',
    plant: {
      file: 'main.ts',
      from: "lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));",
      to: '',
      red: /never saw .*again leaves/,
    },
    async check(stage) {
      const { program } = await open(stage);
      program.type('half a question');
      await program.sees(/half a question/);
      program.type(CTRL_C);
      await program.sees(/Ctrl\+C again leaves[^]*half a question/);
      program.type(CTRL_C);
      expect(await program.ended()).toEqual({ code: '130', isRestored: true, stderr: '' });
    },
  });

  inTable();
});
