import { afterAll, beforeAll, describe, expect } from 'vitest';

import { startModelServer, type ModelReply, type ModelRequest, type ModelServer } from '../../../src/testing/index.ts';
import { classicSystem, quietMs, type Stage, startMs } from '../support/classic/criterion.ts';
import { askAfterFg } from '../support/classic/jobs.ts';
import { CTRL_C, CTRL_U, ESC, Program, until } from '../support/classic/program.ts';

const { criterion, inTable } = classicSystem('2 · Blocking client in a REPL');
const prompt = /you> \x1b\[6G/;

interface Play {
  readonly program: Program;
  /** The model, where a provider's would be. */
  readonly server: ModelServer;
}

let shared: Play;
beforeAll(async () => {
  shared = await open(unplanted);
});
afterAll(async () => {
  for (const close of unplanted.closers.reverse()) await close();
});
const unplanted: Stage = { plant: undefined, closers: [] };

function messages({ body }: ModelRequest): readonly { readonly role: string; readonly content: string }[] {
  return body['messages'] as ReturnType<typeof messages>;
}

function reply(request: ModelRequest): ModelReply {
  const text = messages(request).at(-1)?.content ?? '';
  if (text.includes('nothing')) return ' ';
  if (text.includes('broken')) return { status: 400, message: 'no such model' };
  return text.includes('quick') ? 'Here it is.' : { silent: true };
}

async function open({ plant, closers }: Stage, env: Readonly<Record<string, string>> = {}): Promise<Play> {
  const server = await startModelServer({ script: reply });
  closers.push(() => server.close());
  const model = { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: server.url };
  const program = await Program.open('2-blocking-repl', { plant, env: { ...model, ...env } });
  closers.push(() => program.close());
  await program.sees(prompt, startMs);
  return { program, server };
}

/** The program that the checks share, or one of its own with the gap. */
function playOn(stage: Stage): Promise<Play> {
  return stage.plant === undefined ? Promise.resolve(shared) : open(stage);
}

/** Sends a line in the place of what stands in the input, and waits until the server has the request. */
async function ask({ program, server }: Play, text: string, ms = startMs): Promise<ModelRequest> {
  const n = server.requests.length;
  program.type(`${CTRL_U}${text}\r`);
  await until('the request arrived', () => server.requests.length > n, ms);
  return server.requests[n]!;
}

/** Milliseconds from the key to the notice, and to the end of the request's socket. */
async function cancel(play: Play): Promise<{ noticeMs: number; socketMs: number }> {
  const { program } = play;
  const request = await ask(play, 'a long question');
  const pressedAt = performance.timeOrigin + performance.now();
  program.type(ESC);
  await program.sees(/Cancelled\./, 1500);
  const noticeMs = performance.timeOrigin + performance.now() - pressedAt;
  await until('the socket closed', () => request.closedAt !== undefined, 1500);
  await program.sees(prompt);
  return { noticeMs, socketMs: request.closedAt! - pressedAt };
}

/** Two arrow keys, and one in parts. */
async function arrowInParts(program: Program): Promise<void> {
  program.type('\x1b[A\x1b[B');
  program.type('\x1b');
  await new Promise((resolve) => setTimeout(resolve, 30));
  program.type('[C');
  await new Promise((resolve) => setTimeout(resolve, 120));
}

describe('a blocking client in a REPL', () => {
  criterion('ESC works while a call blocks its thread: the request is really ended, its socket closed', {
    gap: 'ESC was heard when the call had returned; the request went on',
    plant: {
      file: 'main.ts',
      from: 'runBlocking<string>(token, CLIENT, [call], { graceMs: 500, guardian: true })',
      to: "import('./blocking-client.ts').then((client) => client.default(call))",
      red: /never saw .*Cancelled/,
    },
    async check(stage) {
      const play = await playOn(stage);
      await cancel(play);
    },
  });

  criterion('The reaction comes within 50 ms of the key: the notice, and the end of the socket', {
    gap: 'a thread looked every 100 ms whether somebody had pressed something',
    plant: {
      file: 'main.ts',
      from: 'const terminal = watchTerminal(agent,',
      to: 'const terminal = watchTerminal({ get state() { return agent.state; }, cancel: () => void setTimeout(agent.cancel, 100), kill: () => void setTimeout(agent.kill, 100) },',
      red: /expected \d.* to be less than or equal to 50/,
    },
    async check(stage) {
      const play = await playOn(stage);
      const best = { noticeMs: Infinity, socketMs: Infinity };
      // The best of ten: a busy machine is slow, but a poll is never fast.
      for (let times = 0; times < 10 && Math.max(best.noticeMs, best.socketMs) > 50; times += 1) {
        const { noticeMs, socketMs } = await cancel(play);
        best.noticeMs = Math.min(best.noticeMs, noticeMs);
        best.socketMs = Math.min(best.socketMs, socketMs);
      }
      expect(best.noticeMs).toBeLessThanOrEqual(50);
      expect(best.socketMs).toBeLessThanOrEqual(50);
    },
  });

  criterion('The next request never queues behind the abandoned one', {
    gap: 'the one worker thread was still waiting for the old answer',
    plant: {
      file: 'main.ts',
      from: 'runBlocking<string>(token, CLIENT, [call], { graceMs: 500, guardian: true })',
      to: '((globalThis as any).last = ((globalThis as any).last ?? Promise.resolve()).then(() => runBlocking<string>(null, CLIENT, [call])))',
      red: /never: the request arrived/,
    },
    async check(stage) {
      const play = await playOn(stage);
      const { program } = play;
      await ask(play, 'a long question');
      program.type(ESC);
      await program.sees(/Cancelled\./);
      await program.sees(prompt);
      await ask(play, 'a quick question', 2000);
      await program.sees(/Here it is\./);
      await program.sees(prompt);
    },
  });

  criterion('Arrow keys do not cancel, also where their bytes come 30 ms apart; ESC in each form does', {
    gap: 'the first byte of an arrow key was taken for ESC',
    plant: {
      file: 'main.ts',
      from: 'watchTerminal(agent, {',
      to: 'watchTerminal(agent, { escTimeoutMs: 0,',
      red: /expected true to be false/,
    },
    async check(stage) {
      // Longer than the program waits by itself: what a busy machine brings late is still one key.
      const play = await open(stage, { ESCDELAY: '400' });
      const { program } = play;
      // The lone byte, the Kitty protocol, and what Windows' console sends. With the gap more often: a busy machine may
      // read at once what comes 30 ms apart.
      const escapes = ['\x1b', ESC, '\x1b[27;1;27;1;0;1_'];
      for (const escape of stage.plant === undefined ? escapes : Array.from({ length: 5 }, () => escapes).flat()) {
        const request = await ask(play, 'a long question');
        await arrowInParts(program);
        expect(request.closedEarly).toBe(false);
        program.type(escape);
        await program.sees(/Cancelled\./);
        await program.sees(prompt);
      }
    },
  });

  criterion('On cancel the message leaves the history and comes back to the input, and the REPL goes on', {
    gap: 'the message stayed in the history, and the next request had two of them in a row',
    plant: {
      file: 'main.ts',
      from: '.drop(report)',
      to: '.drop({} as never)',
      red: /never saw .*first try/,
    },
    async check(stage) {
      const play = await playOn(stage);
      const { program } = play;
      await ask(play, 'first try');
      program.type(ESC);
      await program.sees(/Cancelled\. Your message is back in the input\./);
      await program.sees(/you> first try|you> \x1b\[6Gfirst try/, 1500);
      const n = play.server.requests.length;
      program.type(', quick\r'); // behind what came back
      await program.sees(/Here it is\./);
      const sent = messages(play.server.requests[n]!);
      expect(sent.at(-1)).toEqual({ role: 'user', content: 'first try, quick' });
      expect(sent.filter(({ content }) => content === 'first try')).toEqual([]);
      await program.sees(prompt);
    },
  });

  criterion('The progress indicator runs while the model thinks, and a cancel takes it away', {
    gap: 'the indicator ran on its own thread, and turned on beside the prompt',
    plant: { file: 'progress.ts', from: 'clearInterval(timer);\n    footer.release();', to: '', red: /Thinking/ },
    async check(stage) {
      const play = await playOn(stage);
      const { program } = play;
      await ask(play, 'a long question');
      await program.sees(/⠋ Thinking….*⠙ Thinking….*⠹ Thinking…/s);
      program.type(ESC);
      await program.sees(/Cancelled\./);
      await program.sees(prompt);
      await new Promise((resolve) => setTimeout(resolve, quietMs(150))); // one more round, if it still runs
      expect((await program.rows()).join('\n')).not.toContain('Thinking');
    },
  });

  criterion('A request that lasts too long is ended by its time limit, which says so in its own words', {
    gap: 'it waited as long as the server did',
    plant: { file: 'main.ts', from: 'timeoutMs: limitMs', to: 'timeoutMs: undefined', red: /never saw .*No answer/ },
    async check(stage) {
      const play = await open(stage, { LIMIT: '4' });
      const { program } = play;
      const request = await ask(play, 'a long question');
      await program.sees(/No answer within 4 s: the request was ended\. Your message is back in the input\./, 6000);
      await program.sees(/a long question/);
      expect(request.closedEarly).toBe(true);
    },
  });

  criterion('Raw mode is restored after success, failure, cancel, exit and crash', {
    gap: 'a crash left the shell without echo',
    plant: { file: 'main.ts', from: 'crashGuard: true', to: 'crashGuard: false', red: /isRestored: false/ },
    async check(stage) {
      const crash = async (): Promise<unknown> => {
        const play = await open(stage, { SETTLE: '0.5' });
        const { program } = play;
        await ask(play, 'a long question');
        const [main] = await program.mark.alive(/main\.ts/);
        process.kill(main!.pid, 'SIGKILL');
        const { code, isRestored } = await program.ended();
        return { code, isRestored };
      };
      const exit = async (): Promise<unknown> => {
        const play = await open(stage);
        const { program } = play;
        await ask(play, 'a long question');
        program.type(CTRL_C + CTRL_C);
        return program.ended();
      };
      const leave = async (): Promise<unknown> => {
        const play = await open(stage);
        const { program } = play;
        await ask(play, 'a quick question');
        await program.sees(/Here it is\./);
        await program.sees(prompt);
        await ask(play, 'a broken question');
        await program.sees(/The request failed: the model answered 400: no such model/);
        await program.sees(prompt);
        await cancel(play);
        program.type(`${CTRL_U}\r`);
        return program.ended();
      };
      if (stage.plant !== undefined) {
        expect(await crash()).toEqual({ code: '137', isRestored: true });
        return;
      }
      expect(await Promise.all([crash(), exit(), leave()])).toEqual([
        { code: '137', isRestored: true },
        { code: '130', isRestored: true, stderr: '' },
        { code: '0', isRestored: true, stderr: '' },
      ]);
    },
  });

  criterion('Several ESC are one stop: one notice', {
    gap: 'each key printed its notice',
    plant: {
      file: 'main.ts',
      from: " && event.kind === 'cancel'",
      to: '',
      red: /expected .* to have a length of 1/,
    },
    async check(stage) {
      const play = await playOn(stage);
      const { program } = play;
      await ask(play, 'a long question');
      const from = program.bytes.length;
      program.type(ESC.repeat(3));
      await program.sees(/stopped in/);
      await program.sees(prompt);
      expect(program.bytes.slice(from).match(/Cancelled\./g)).toHaveLength(1);
    },
  });

  criterion('An answer with nothing in it leaves a conversation that the provider takes', {
    gap: 'an empty message in the history made the provider refuse every later one',
    plant: {
      file: 'main.ts',
      from: 'const call = { ...model.address, messages };',
      to: "const call = { ...model.address, messages: messages.flatMap((one, at) => at === 1 ? [{ role: 'assistant' as const, content: '' }, one] : [one]) };",
      red: /never saw .*Here it is/,
    },
    async check(stage) {
      const play = await playOn(stage);
      const { program } = play;
      await ask(play, 'nothing');
      await program.sees(prompt);
      await ask(play, 'a quick question');
      await program.sees(/Here it is\./, 2000);
      await program.sees(prompt);
    },
  });

  criterion('Lines that are pasted at the prompt are one message, and a stop sends none of them again', {
    gap: 'all but the first line were lost, and what came back to the input was sent by its line feeds',
    plant: { file: 'main.ts', from: ".replaceAll('\\n', ' ')", to: '', red: /never saw .one two three/ },
    async check(stage) {
      const play = await playOn(stage);
      const { program, server } = play;
      const n = server.requests.length;
      const request = await ask(play, 'one\rtwo\rthree');
      expect(messages(request).at(-1)?.content).toBe('one\ntwo\nthree');
      program.type(ESC);
      await program.sees(/stopped in/);
      await program.sees(/one two three/, 2000);
      expect(server.requests.length - n).toBe(1);
    },
  });

  criterion('Ctrl+Z at the prompt and `fg`: the prompt is back, and hears', {
    gap: 'after `fg` the program ended',
    plant: {
      file: 'main.ts',
      from: 'suspendOnCtrlZ(lines);',
      to: '',
      red: /never saw .*short answer/,
    },
    check: (stage) =>
      askAfterFg(
        '2-blocking-repl',
        stage,
        { ANTHROPIC_API_KEY: '' },
        { prompt: /you> /, question: 'a quick question', answer: /short answer[^]*you> / },
      ),
  });

  criterion('At the prompt Ctrl+C leaves when it comes twice, with 130', {
    gap: 'one Ctrl+C at the prompt was the end, and of success',
    plant: {
      file: 'main.ts',
      from: "lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'));",
      to: '',
      red: /not to match/,
    },
    async check(stage) {
      const { program } = await open(stage);
      program.type('half a question');
      await program.sees(/half a question/);
      program.type(CTRL_C);
      await new Promise((resolve) => setTimeout(resolve, quietMs(300)));
      expect(program.unread).not.toMatch(/<exit/);
      program.type(CTRL_C);
      expect(await program.ended()).toEqual({ code: '130', isRestored: true, stderr: '' });
    },
  });

  inTable();
});
