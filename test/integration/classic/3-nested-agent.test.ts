import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { describe, expect } from 'vitest';

import { startModelServer, type ModelReply, type ModelRequest, type ModelServer } from '../../../src/testing/index.ts';
import { deferred } from '../../../src/testing/fakes.ts';
import { classicSystem, quietMs, type Stage, startMs, waitMs } from '../support/classic/criterion.ts';
import { ESC, Program, until } from '../support/classic/program.ts';

const { criterion, inTable } = classicSystem('3 · Nested coding agent (Ink)');
const mark = '[PRIORITY USER MESSAGE]: ';

/** One event of the agents, and what `agent` said of itself in that moment. */
interface Heard {
  readonly type: string;
  readonly agent: string;
  readonly instanceId: string;
  readonly parentId?: string;
  readonly kind?: string;
  readonly child?: string;
  readonly interrupted?: boolean;
  readonly outcome?: { readonly name: string; readonly status: string; readonly by?: string };
  readonly now: {
    readonly interrupted: boolean;
    readonly wasInterrupted: boolean;
    readonly isStopHeard: boolean;
    readonly interruption?: Readonly<Record<string, unknown>>;
  };
}

interface Play {
  readonly program: Program;
  readonly server: ModelServer;
  readonly dir: string;
  readonly events: () => Heard[];
  /** Lets the model tell on what it has begun to tell to the agent in the background. */
  readonly tellOn: () => void;
}

function messages({ body }: ModelRequest): readonly { readonly role: string; readonly content: unknown }[] {
  return body['messages'] as ReturnType<typeof messages>;
}

/** What the last message says, in a turn of any of the agents. */
function lastOf(request: ModelRequest): string {
  return JSON.stringify(messages(request).at(-1)?.content);
}

const call = (name: string, text: string): { name: string; input: object } => ({ name, input: { text } });

/**
 * The name of a plan goes down unchanged: `plan sleep` is the planner's task `sleep`, and the explorer's. A story has no
 * end, however late it is stopped; a tale has one when the test says so.
 */
function replyIn(dir: string, told: Promise<unknown>): (request: ModelRequest) => ModelReply {
  return (request) => {
    const last = lastOf(request);
    if (last.includes(mark)) return 'Understood.';
    if (last.includes('tool_result')) return 'Back from the tools.';
    if (last.includes('odd')) return { toolCalls: [call('frobnicate', `touch ${join(dir, 'ran')}`)] };
    if (last.includes('cut off')) return 'and the rest of it.';
    if (last.includes('silent')) return { text: 'Half an answer', silentAfter: 2 };
    if (last.includes('story')) return { text: 'Once upon a time. '.repeat(12), chunkMs: 25, silentAfter: 40 };
    if (last.includes('tale')) return { text: 'Once upon a time.', silentAfter: 2, silentUntil: told };
    const [, way = '', task = ''] = /(plan|direct)? ?(sleep|deaf|batch)/.exec(last) ?? [];
    if (task === '') return 'Fine.';
    const names = (request.body['tools'] as { name: string }[]).map(({ name }) => name);
    if (names.includes('plan')) return { toolCalls: [call(way === 'plan' ? 'plan' : 'explore', task)] };
    if (!names.includes('shell')) return { toolCalls: [call('explore', task)] };
    if (task === 'deaf') return { toolCalls: [call('index', 'all')] };
    const sleeps = call('shell', 'sleep 20');
    return { toolCalls: task === 'batch' ? [sleeps, call('shell', `touch ${join(dir, 'second')}`)] : [sleeps] };
  };
}

async function open({ plant, closers }: Stage, env: Readonly<Record<string, string>> = {}): Promise<Play> {
  const dir = await mkdtemp(join(tmpdir(), 'desist-nested-'));
  closers.push(() => rm(dir, { recursive: true, force: true }));
  const { promise: told, resolve: tellOn } = deferred<undefined>();
  const server = await startModelServer({ script: replyIn(dir, told) });
  closers.push(() => server.close());
  const log = join(dir, 'events');
  const model = { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: server.url, EVENTS: log };
  const program = await Program.open('3-nested-agent', { plant, env: { ...model, ...env } });
  closers.push(async () => {
    await program.close();
    await program.mark.killAll();
  });
  await program.sees(/ESC stops/, startMs);
  const events = (): Heard[] =>
    existsSync(log)
      ? readFileSync(log, 'utf8')
          .split('\n')
          .slice(0, -1) // Whole lines: the last one is being written.
          .map((line) => JSON.parse(line) as Heard)
      : [];
  return { program, server, dir, events, tellOn: () => tellOn(undefined) };
}

/** Sends a line, and waits until it shows. */
async function ask(stage: Stage, text: string, seen: RegExp, env?: Readonly<Record<string, string>>): Promise<Play> {
  const play = await open(stage, env);
  play.program.type(`${text}\r`);
  await play.program.sees(seen, startMs);
  return play;
}

/** Waits until the shell at the bottom runs. */
async function below(stage: Stage, text: string): Promise<Play> {
  const play = await ask(stage, text, /· shell sleep 20/);
  await untilAlive(play, 1, startMs);
  return play;
}

async function untilAlive({ program }: Play, count: number, ms = 3000): Promise<void> {
  for (const end = Date.now() + waitMs(ms); ; await sleep(30)) {
    const found = await program.mark.alive(/^sleep 20/);
    if (found.length === count) return;
    if (Date.now() > end) throw new Error(`never: ${String(count)} shells, but ${String(found.length)}`);
  }
}

/** Where a sub-agent is made. */
const linked =
  "{ subagent }: ToolContext): Promise<string> {\n    const agent = subagent(role, { onChildInterrupted: 'contain' });";

const stopped = /Interrupted\. Tell Ada what to do instead\./;

/** The main agent has ended so many turns. */
function ended({ events }: Play, count: number, ms = 3000): Promise<void> {
  const isEnd = ({ type, agent }: Heard): boolean => type === 'turn-ended' && agent === 'Ada';
  return until(`${String(count)} turns ended`, () => events().filter(isEnd).length >= count, ms);
}

async function shows({ program }: Play, pattern: RegExp, ms = 2000): Promise<string> {
  for (const end = Date.now() + waitMs(ms); ; await sleep(30)) {
    const screen = (await program.rows()).map((row) => row.trimEnd()).join('\n');
    if (pattern.test(screen)) return screen;
    if (Date.now() > end) throw new Error(`never showed ${String(pattern)} in:\n${screen}`);
  }
}

/** Longer than two ESC of a pair may be apart, and than keys are swallowed after a turn. */
const apart = (): Promise<void> => sleep(700);

describe('a nested coding agent drawn with Ink', () => {
  criterion('ESC dismisses the completions first, and the agent goes on; the next ESC stops it', {
    gap: 'one ESC closed the list and stopped the agent as well',
    plant: {
      file: 'main.ts',
      from: 'setDismissed(true);\n      return true;',
      to: 'setDismissed(true);\n      return false;',
      red: /expected .*not to match/s,
    },
    async check(stage) {
      const play = await ask(stage, 'a story', /upon/);
      const { program } = play;
      program.type('/');
      await shows(play, /\/background <task>/, startMs);
      program.type(ESC);
      await shows(play, /^(?![^]*background <task>)/, startMs);
      await sleep(quietMs(500));
      expect(await shows(play, /./)).not.toMatch(/Stopping|Interrupted/);
      program.type(ESC);
      // That it is stopping is not always drawn: it may be over before the next frame.
      await program.sees(stopped);
    },
  });

  criterion('ESC ESC while nothing runs rewinds: the message is back in the input, the transcript cut there', {
    gap: 'the message was back in the input, and in the history as well',
    plant: { file: 'main.ts', from: 'chat.drop(last.report);', to: '', red: /to deeply equal/ },
    async check(stage) {
      const play = await ask(stage, 'first', /Fine\./);
      const { program, server } = play;
      await ended(play, 1);
      program.type('second\r');
      await program.sees(/Fine\./);
      await ended(play, 2);
      await apart();
      program.type(ESC);
      await sleep(100);
      program.type(ESC);
      await shows(play, /> second\n.*$/m);
      await program.sees(/Rewound/);
      program.type(' thoughts\r');
      await until('the request', () => server.requests.length > 2);
      const users = messages(server.requests[2]!).filter(({ role }) => role === 'user');
      expect(users.map(({ content }) => content)).toEqual(['first', 'second thoughts']);
    },
  });

  criterion('The ESC that stopped a turn never counts towards a rewind', {
    gap: 'the second ESC of a nervous person took the message away',
    plant: {
      file: 'main.ts',
      from: '{ onIdleDoubleEscape: rewind, onLeave: leave });',
      to: "{ onLeave: leave }); const at = react.useRef(0); useKey((event) => { if (event.type !== 'key' || event.name !== 'escape') return false; if (Date.now() - at.current < 15_000) rewind(); at.current = Date.now(); return false; }, { priority: 60 });",
      red: /expected .*not to contain 'Rewound/s,
    },
    async check(stage) {
      const play = await ask(stage, 'a story', /upon/);
      const { program } = play;
      program.type('\x1b');
      await program.sees(stopped, startMs);
      program.type('\x1b');
      await sleep(quietMs(800));
      expect(program.bytes).not.toContain('Rewound');
    },
  });

  criterion('Several ESC in a row are one stop: it is not entered again', {
    gap: 'each press ran the whole stop, and the last one hit the next turn',
    plant: {
      file: 'main.ts',
      from: '{ onIdleDoubleEscape: rewind, onLeave: leave });',
      to: "{ escape: false, onLeave: leave }); useKey((event) => { if (event.type !== 'key' || event.name !== 'escape') return false; page.line('Stopping…'); setTimeout(agent.cancel, 300); return true; });",
      red: /expected \[.*\] to have a length of 1|to deeply equal/s,
    },
    async check(stage) {
      const play = await below(stage, 'plan sleep');
      const { program, events } = play;
      program.type(ESC + ESC + ESC);
      await ended(play, 1);
      program.type('a story\r');
      await program.sees(/upon/);
      await sleep(quietMs(600));
      const asked = events().filter(({ type }) => type === 'interrupt-requested');
      expect(asked.filter(({ agent, kind }) => agent === 'Ada' && kind === 'cancel')).toHaveLength(1);
      expect(program.bytes.match(/Stopping…/g)).toHaveLength(1);
    },
  });

  criterion('The person sees the stop before any work hears of it, each child is told of, and every end is told', {
    gap: 'the notice came when the tools had come back',
    plant: {
      file: 'main.ts',
      from: 'agent.onEvent((event) => {',
      to: 'agent.onEvent(async (event) => { await undefined;',
      red: /to deeply equal|to match object/,
    },
    async check(stage) {
      const play = await below(stage, 'plan sleep');
      const { program, events } = play;
      program.type(ESC);
      await program.sees(/Stopping…/, startMs);
      await ended(play, 1);
      const all = events();
      const from = all.findIndex(({ type }) => type === 'interrupt-requested');
      const told = all.slice(from).filter(({ type }) => type.startsWith('interrupt-') || type === 'turn-ended');
      expect(told[0]).toMatchObject({
        agent: 'Ada',
        kind: 'cancel',
        now: { interrupted: true, isStopHeard: false },
      });
      expect(told.map(({ type, agent, child = '' }) => `${agent}: ${type} ${child}`.trim())).toEqual([
        'Ada: interrupt-requested',
        'Ada: interrupt-propagated planner',
        'planner: interrupt-propagated explorer',
        'explorer: turn-ended',
        'planner: turn-ended',
        'Ada: turn-ended',
      ]);
      const [explorer, planner, main] = told.slice(3);
      for (const end of [explorer, planner, main]) expect(end).toMatchObject({ interrupted: true, kind: 'user' });
      expect([explorer?.parentId, planner?.parentId]).toEqual([planner?.instanceId, main?.instanceId]);
    },
  });

  criterion('Behind the tool that was stopped nothing else of its batch starts', {
    gap: 'nobody looked for the stop when a tool had come back (1)',
    plant: {
      file: 'agents.ts',
      from: "await turn.tools(calls, (call, context) => this.#run(call, context), { mode: 'sequential' });",
      to: "role !== 'explorer' ? await turn.tools(calls, (call, context) => this.#run(call, context)) : await (async () => { const { CancellationToken: { none } } = await import('desist'); for (const call of calls) await this.#run(call, { token: turn.token.isCancelled ? none : turn.token } as any).catch(() => ''); return []; })();",
      red: /expected true to be false/,
    },
    async check(stage) {
      const play = await below(stage, 'plan batch');
      play.program.type(ESC);
      await ended(play, 1);
      await untilAlive(play, 0);
      await sleep(quietMs(300));
      expect(existsSync(join(play.dir, 'second'))).toBe(false);
    },
  });

  criterion('After the stop no agent asks its model again', {
    gap: 'the result of the stopped tool went to the model, which went on (2)',
    plant: {
      file: 'agents.ts',
      from: 'const reply = await turn.model((',
      to: "const unguarded: typeof turn.model = async (call: any) => turn.token.isCancelled ? { status: 'completed', delivered: [], calls: [], isLast: true, value: await call({ token: null as any, partial() {}, messages: [{ role: 'user', content: 'go on' }] } as any) } : (turn.model(call) as any); const reply = await unguarded((",
      red: /expected \d to be 3/,
    },
    async check(stage) {
      const play = await below(stage, 'plan sleep');
      const { program, server } = play;
      program.type(ESC);
      await ended(play, 1).catch(() => undefined);
      await sleep(quietMs(400));
      expect(server.requests.length).toBe(3);
    },
  });

  criterion('A sub-agent that is stopped alone is told to its parent as such, and the parent goes on', {
    gap: 'the parent took the interruption of its child for an answer (3)',
    plant: {
      file: 'agents.ts',
      from: linked,
      to: "context: ToolContext): Promise<string> { const { subagent, token } = context; const { InterruptController: Free } = await import('desist'); const agent = role === 'explorer' ? new Free({ name: role, token }) : subagent(role);",
      red: /to match object/,
    },
    async check(stage) {
      const play = await below(stage, 'plan sleep');
      const { program, events, server } = play;
      program.type('/stop explorer\r');
      await program.sees(/Back from the tools\./);
      await ended(play, 1);
      const outcomes = events().filter(({ type, agent }) => type === 'tool-outcome' && agent === 'planner');
      expect(outcomes.map(({ outcome }) => outcome)).toMatchObject([
        { name: 'explore', status: 'stopped', by: 'explorer' },
      ]);
      expect(lastOf(server.requests[3]!)).toMatch(/tool_result.*stopped/);
      expect(events().at(-1)).toMatchObject({ type: 'turn-ended', agent: 'Ada', interrupted: false });
    },
  });

  criterion('A tool that ignores its signal is left behind, and named', {
    gap: 'the stop waited for the tool (4)',
    plant: {
      file: 'main.ts',
      from: 'graceMs: 300',
      to: 'graceMs: Infinity',
      red: /never (saw .*Interrupted|showed .*Still)/,
    },
    async check(stage) {
      const play = await ask(stage, 'plan deaf', /· index all/);
      const { program } = play;
      await sleep(100);
      program.type(ESC);
      await program.sees(stopped, 1800);
      await shows(play, /Still running: index/);
      program.type('hello\r');
      await program.sees(/Fine\./, 1500);
    },
  });

  criterion('After the stop a line says what to do: "Interrupted. Tell Ada what to do instead."', {
    gap: 'the prompt came back without a word (5)',
    plant: { file: 'main.ts', from: 'of: interrupt,', to: "of: { ...interrupt, line: '' },", red: /never showed/ },
    async check(stage) {
      const play = await below(stage, 'plan sleep');
      play.program.type(ESC);
      await shows(play, stopped);
      play.program.type('a story\r');
      await play.program.sees(/upon/);
      expect(await shows(play, /upon/)).not.toMatch(stopped);
    },
  });

  criterion('The model is told of a stop once, with the next message, and of an interjection never', {
    gap: 'the flag was cleared by the next turn, or by nobody',
    plant: {
      file: 'main.ts',
      from: 'agent.consumeWasInterrupted();',
      to: '((globalThis as any).was ??= agent.consumeWasInterrupted());',
      red: /to deeply equal/,
    },
    async check(stage) {
      const play = await ask(stage, 'a story', /upon/);
      const { program, server } = play;
      program.type('and a cat\r');
      await program.sees(/Understood\./);
      await ended(play, 1);
      for (const line of ['another story\r', 'hello\r', 'again\r']) {
        const n = server.requests.length;
        program.type(line);
        await until('the request', () => server.requests.length > n);
        if (n === 2) {
          await program.sees(/upon/);
          program.type(ESC);
        }
        await ended(play, n);
        await apart();
      }
      const notes = server.requests.map((request) => /The user stopped your previous turn/.test(lastOf(request)));
      expect(notes).toEqual([false, false, false, true, false]);
    },
  });

  criterion('`interrupted`, its type and its context hold from the key to the end of the turn, then `wasInterrupted`', {
    gap: 'the flag stood until the next turn reset it',
    plant: {
      file: 'main.ts',
      from: 'const { interrupted, wasInterrupted, interruption } = agent;',
      to: "const { wasInterrupted, interruption } = agent; const g = globalThis as any; g.flag = event.type === 'interrupt-requested' || (event.type !== 'turn-started' && g.flag === true); const interrupted = g.flag;",
      red: /to deeply equal/,
    },
    async check(stage) {
      const play = await below(stage, 'plan sleep');
      const { program, events } = play;
      program.type(ESC);
      await ended(play, 1);
      const moments = events().filter(({ type, agent }) => agent === 'Ada' && !type.startsWith('tool'));
      expect(
        moments.map(({ type, now }) => [type, now.interrupted, now.interruption?.['kind'], now.wasInterrupted]),
      ).toEqual([
        ['turn-accepted', false, undefined, false],
        ['turn-started', false, undefined, false],
        ['interrupt-requested', true, 'cancel', false],
        ['interrupt-propagated', true, 'cancel', false],
        ['turn-ended', false, undefined, true],
      ]);
      expect(moments[2]?.now.interruption).toMatchObject({
        reason: { kind: 'user', message: 'User cancelled' },
        isTimeout: false,
        canContinueAfterTimeout: false,
      });
    },
  });

  criterion('A line that is typed while it works is an interjection: the partial answer stays, and the turn goes on', {
    gap: 'to say something was to stop, and what had been said was lost',
    plant: {
      file: 'main.ts',
      from: "agent.interject(line, { delivery: 'now' });",
      to: 'agent.cancel();',
      red: /never saw .*Understood/,
    },
    async check(stage) {
      const play = await ask(stage, 'a story', /upon/);
      const { program, server, events } = play;
      program.type('be brief\r');
      const shown = await program.sees(/Understood\./, 2500);
      await ended(play, 1);
      expect(shown).not.toContain('Stopping…'); // nothing is stopped
      const [, partial, message] = messages(server.requests[1]!);
      expect(JSON.stringify(partial)).toMatch(/assistant.*Once upon/);
      expect(message?.content).toBe(`${mark}be brief`);
      const kinds = events().flatMap(({ now: { interruption } }) => interruption?.['kind'] ?? []);
      expect([...new Set(kinds)]).toEqual(['interjection']);
      expect(events().at(-1)).toMatchObject({
        type: 'turn-ended',
        interrupted: false,
        now: { interrupted: false, wasInterrupted: false },
      });
    },
  });

  criterion('A model that falls silent is asked to go on, by itself, behind what it has said', {
    gap: 'a time-out ended the turn like a stop',
    plant: { file: 'agents.ts', from: 'attempts: 1', to: 'attempts: 0', red: /never saw .*rest of it/ },
    async check(stage) {
      const play = await ask(stage, 'be silent', /Half/, { IDLE_MS: '600' });
      const { program, server, events } = play;
      await program.sees(/and the rest of it\./, 4000);
      await ended(play, 1);
      expect(JSON.stringify(messages(server.requests[1]!))).toMatch(/Half.*cut off/);
      const told = events().find(({ type }) => type === 'model-timed-out');
      expect(told).toMatchObject({ canContinueAfterTimeout: true });
      expect(told?.now.interruption).toMatchObject({ isTimeout: true, canContinueAfterTimeout: true });
      expect(events().at(-1)?.now.wasInterrupted).toBe(false);
    },
  });

  criterion("A person's stop never goes on by itself, also in the pause after a time-out", {
    gap: 'every interruption was tried again',
    plant: {
      file: 'main.ts',
      from: "if (report.status === 'failed')",
      to: "if (report.status === 'cancelled') void agent.runTurn((turn) => crew.loop('main', turn as never));\n  if (report.status === 'failed')",
      red: /expected \d to be 1/,
    },
    async check(stage) {
      const play = await ask(stage, 'be silent', /Half/, { IDLE_MS: '600' });
      const { program, server, events } = play;
      await until('the time-out', () => events().some(({ type }) => type === 'model-timed-out'), 3000);
      program.type(ESC);
      await ended(play, 1);
      await sleep(quietMs(600));
      expect(server.requests.length).toBe(1);
    },
  });

  criterion('Another agent on the same client goes on', {
    gap: 'the stop closed the client for everybody',
    plant: {
      file: 'agents.ts',
      from: 'client.messages.create(body, { signal })',
      to: '{ const all = ((globalThis as any).all ??= new AbortController()) as AbortController; signal.addEventListener("abort", () => all.abort()); return client.messages.create(body, { signal: all.signal }); }',
      red: /never saw \/The helper/,
    },
    async check(stage) {
      const play = await ask(stage, '/background a tale', /> \/background a tale/);
      const { program, server } = play;
      await until('a request', () => server.requests.length > 0);
      program.type('another story\r');
      await until('both requests', () => server.requests.length > 1);
      await sleep(200);
      program.type(ESC);
      await program.sees(stopped, startMs);
      play.tellOn();
      await program.sees(/The helper's task: completed\./, 8000);
      expect(server.requests.map(({ closedEarly }) => closedEarly)).toEqual([false, true]);
    },
  });

  criterion('Every tool that delegates reaches its children: the shell below each is gone', {
    gap: 'one of the two tools made its agent without saying whose it was',
    plant: {
      file: 'agents.ts',
      from: linked,
      to: "{ subagent }: ToolContext): Promise<string> { const { InterruptController: Free } = await import('desist'); const agent = role === 'explorer' ? new Free({ name: role }) : subagent(role);",
      red: /never: 0 shells/,
    },
    async check(stage) {
      const ways = stage.plant === undefined ? ['plan sleep', 'direct sleep'] : ['direct sleep'];
      for (const way of ways) {
        const play = await below(stage, way);
        play.program.type(ESC);
        await untilAlive(play, 0);
        await play.program.sees(stopped, 1500);
      }
    },
  });

  criterion('A tool that there is not is an error for the model, and runs nothing', {
    gap: 'every name that was not known was run as a command',
    plant: {
      file: 'agents.ts',
      from: "if (name !== 'shell') throw new TypeError(`there is no tool ${name}`);",
      to: '',
      red: /expected .* to contain 'there is no tool frobnicate'/,
    },
    async check(stage) {
      const { server, dir } = await ask(stage, 'something odd', /Back from the tools/);
      expect(lastOf(server.requests[1]!)).toContain('there is no tool frobnicate');
      expect(existsSync(join(dir, 'ran'))).toBe(false);
    },
  });

  criterion('Backspace takes the last thing that a person sees, also one of several characters', {
    gap: 'a family lost one of its members at each press',
    plant: {
      file: 'main.ts',
      from: 'page.type(input.slice(0, [...new Intl.Segmenter().segment(input)].at(-1)?.index ?? 0));',
      to: "page.type([...input].slice(0, -1).join(''));",
      red: /never: the request|to be 'now'/,
    },
    async check(stage) {
      const { program, server } = await open(stage);
      program.type('no👩‍👩‍👧');
      await program.sees(/> no👩‍👩‍👧/u, startMs); // drawn by the program: what the terminal echoes before is its own to edit
      program.type('\x7f');
      await sleep(100);
      program.type('w\r');
      await until('the request', () => server.requests.length > 0);
      expect(messages(server.requests[0]!).at(-1)?.content).toBe('now');
    },
  });

  inTable();
});
