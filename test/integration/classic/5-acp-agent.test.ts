import { setTimeout as sleep } from 'node:timers/promises';

import { afterAll, beforeAll, describe, expect } from 'vitest';

import { startModelServer, type ModelReply, type ModelRequest, type ModelServer } from '../../../src/testing/index.ts';
import { AcpPeer } from '../support/classic/acp-client.ts';
import { classicSystem, type Stage, waitMs } from '../support/classic/criterion.ts';
import { Program, until } from '../support/classic/program.ts';

const { criterion, inTable } = classicSystem('5 · ACP agent');
const sdkAlone = { file: 'main.ts', from: 'void sessions.cancel(context)', to: 'void context' };

function reply({ body }: ModelRequest): ModelReply {
  const messages = body['messages'] as readonly { readonly content: unknown }[];
  const prompt = String(messages.findLast(({ content }) => typeof content === 'string')?.content);
  if (prompt.includes('broken')) return { status: 400, message: 'no such model' };
  if (prompt.includes('story')) return { text: 'Once upon a time. '.repeat(20), chunkMs: 15 };
  const name = /search|look|remove/.exec(prompt)?.[0];
  if (name === undefined || (typeof messages.at(-1)?.content !== 'string' && !prompt.includes('again'))) return 'Done.';
  return { text: `I call ${name}.`, toolCalls: [{ name, input: name === 'search' ? { query: 'x' } : {} }] };
}

interface Play {
  readonly peer: AcpPeer;
  readonly server: ModelServer;
  /** The requests of this session. */
  readonly requests: () => readonly ModelRequest[];
  readonly session: string;
}

async function open(stage: Stage, kind: 'echo' | 'loop' = 'loop', env: Record<string, string> = {}): Promise<Play> {
  const server = await startModelServer({ script: reply });
  stage.closers.push(() => server.close());
  const model = { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: server.url };
  const peer = await AcpPeer.open(kind, stage, { ...model, ...env });
  return { peer, server, requests: () => server.requests, session: await peer.newSession() };
}

const unplanted: Stage = { plant: undefined, closers: [] };
let shared: Play;
beforeAll(async () => {
  shared = await open(unplanted);
});
afterAll(async () => {
  for (const close of unplanted.closers.reverse()) await close();
});

/** A session of the agent that the checks share, or of one with the gap. */
async function playOn(stage: Stage): Promise<Play> {
  if (stage.plant !== undefined) return open(stage);
  const { peer, server } = shared;
  const before = server.requests.length;
  return { peer, server, requests: () => server.requests.slice(before), session: await peer.newSession() };
}

/** Cancels, and waits for the answer: nothing comes after it. */
async function cancelled({ peer, session }: Play, ms = 800): Promise<void> {
  await peer.cancel(session);
  await peer.hears(`${session}: answer cancelled`, ms);
  const mine = peer.heard.filter((line) => line.startsWith(session));
  expect(mine.at(-1)).toBe(`${session}: answer cancelled`);
}

describe('an ACP agent', () => {
  criterion('session/cancel in the delay of 30 s is answered cancelled at once', {
    gap: 'the delay went on to its end, and the answer was end_turn',
    plant: {
      file: 'main.ts',
      from: 'await delay(turn.token, ECHO_MS)',
      to: 'await delay(null, ECHO_MS)',
      red: /never: heard s1: answer cancelled/,
    },
    async check(stage) {
      const play = await open(stage, 'echo');
      play.peer.prompt(play.session, 'Hello.');
      await play.peer.hears('In 30 seconds.');
      await cancelled(play);
      expect(play.peer.heard).not.toContain(`${play.session}: Hello.`);
    },
  });

  criterion('session/cancel in the model stream is answered cancelled after the last update, and the stream is cut', {
    gap: 'the handler was not told, and the stream was read to its end',
    plant: { ...sdkAlone, red: /never: heard s1: answer cancelled/ },
    async check(stage) {
      const play = await playOn(stage);
      play.peer.prompt(play.session, 'a story');
      await play.peer.hears(`${play.session}: Once`);
      await cancelled(play);
      await until('the stream is cut', () => play.requests()[0]?.closedEarly === true, 1500);
    },
  });

  criterion('session/cancel in an MCP tool is answered cancelled, and the MCP server is told', {
    gap: 'the MCP server went on searching',
    plant: {
      file: 'loop.ts',
      from: 'cancellableRequest(signal,',
      to: 'cancellableRequest(null,',
      red: /never: (heard|logged)/,
    },
    async check(stage) {
      const play = await playOn(stage);
      play.peer.prompt(play.session, 'search');
      await play.peer.logs('search: started');
      await cancelled(play);
      await play.peer.logs('search: told to stop', 1500);
      expect(play.requests()).toHaveLength(1);
    },
  });

  criterion('session/cancel in a permission is answered cancelled, and the tool is never run', {
    gap: 'the question stayed open for ever, and the prompt with it',
    plant: { ...sdkAlone, red: /never: heard s1: answer cancelled/ },
    async check(stage) {
      const play = await playOn(stage);
      play.peer.prompt(play.session, 'remove');
      await play.peer.hears(`${play.session}: <permission>`);
      await cancelled(play);
      expect(play.peer.heard).not.toContain(`${play.session}: <tool_call_update>`);
    },
  });

  criterion('session/cancel between two rounds of the loop is answered cancelled, and no further request is made', {
    gap: 'the loop looked at its flag only inside of the model stream',
    plant: {
      file: 'loop.ts',
      from: 'await delay(turn.token, PAUSE_MS)',
      to: 'await delay(null, PAUSE_MS)',
      red: /never: heard s1: answer cancelled/,
    },
    async check(stage) {
      const play = await open(stage, 'loop', { ROUND_PAUSE_MS: '4000' });
      play.peer.prompt(play.session, 'look again');
      await play.peer.hears('<tool_call_update>');
      await cancelled(play);
      expect(play.requests()).toHaveLength(1);
    },
  });

  criterion('session/cancel for an unknown or an idle session is harmless', {
    gap: 'an unknown session ended the connection',
    plant: {
      file: 'main.ts',
      from: 'void sessions.cancel(context)',
      to: 'void (loops.has(context.params.sessionId) ? sessions.cancel(context) : process.exit(1))',
      red: /never: heard s1: answer end_turn/,
    },
    async check(stage) {
      const { peer, session } = await playOn(stage);
      await peer.cancel('nobody knows it');
      await peer.cancel(session);
      peer.prompt(session, 'hello');
      await peer.hears(`${session}: answer end_turn`, 1500);
    },
  });

  criterion('Two sessions are independent: a cancel of one leaves the other at work', {
    gap: 'one flag for the whole process stopped both',
    plant: {
      file: 'main.ts',
      from: 'void sessions.cancel(context)',
      to: 'void loops.forEach((_, id) => sessions.cancel({ sessionId: id }))',
      red: /never: heard s2: answer end_turn/,
    },
    async check(stage) {
      const play = await playOn(stage);
      const other = await play.peer.newSession();
      play.peer.prompt(play.session, 'search');
      play.peer.prompt(other, 'a story');
      await play.peer.hears(`${other}: Once`);
      await play.peer.logs('search: started');
      await cancelled(play, 5000);
      await play.peer.hears(`${other}: answer end_turn`, 6000);
    },
  });

  criterion("The same session's next prompt ends end_turn, with a transcript that the provider accepts", {
    gap: 'the cut tool call had no result, and the provider refused every later prompt',
    plant: {
      file: 'loop.ts',
      from: 'turn.model(({ messages, token, partial }) => {',
      to: 'turn.model(({ messages: all, token, partial }) => { const messages = all.filter(({ content }, at) => typeof content === "string" || all[at - 1]?.role !== "assistant" || at === all.length - 1);',
      red: /never: heard s1: answer end_turn/,
    },
    async check(stage) {
      const play = await playOn(stage);
      play.peer.prompt(play.session, 'search');
      await play.peer.logs('search: started');
      await cancelled(play);
      play.peer.prompt(play.session, 'hello');
      await play.peer.hears(`${play.session}: answer end_turn`, 1500);
    },
  });

  criterion('The turn limit is answered max_turn_requests', {
    gap: 'the loop ran until the provider refused it',
    plant: { file: 'loop.ts', from: 'round <= MAX_ROUNDS', to: 'round > 0', red: /never: heard s1: answer max_turn/ },
    async check(stage) {
      const { peer, requests, session } = await playOn(stage);
      peer.prompt(session, 'look again');
      await peer.hears(`${session}: answer max_turn_requests`, 3000);
      expect(requests()).toHaveLength(8);
    },
  });

  criterion('A real failure is answered as an error, never end_turn', {
    gap: 'everything thrown was answered end_turn',
    plant: {
      file: 'main.ts',
      from: 'loop.run(turn)',
      to: "loop.run(turn).catch(() => ({ stopReason: 'end_turn' as const }))",
      red: /never: heard s1: error/,
    },
    async check(stage) {
      const { peer, session } = await playOn(stage);
      peer.prompt(session, 'broken');
      await peer.hears(`${session}: error`, 1500);
      expect(peer.heard.filter((line) => line.startsWith(`${session}: answer`))).toEqual([]);
    },
  });

  const client = async (
    { plant, closers }: Stage,
    words: string,
    env: Record<string, string> = {},
  ): Promise<Program> => {
    const server = await startModelServer({ script: reply });
    closers.push(() => server.close());
    const model = { ANTHROPIC_API_KEY: 'a-key', ANTHROPIC_BASE_URL: server.url };
    const program = await Program.open('5-acp-agent', { plant, file: 'client.ts', words, env: { ...model, ...env } });
    closers.push(async () => {
      await program.close();
      await program.mark.killAll();
    });
    return program;
  };
  const without = (what: string): { file: string; from: string; to: string } => ({
    file: 'client.ts',
    from: '} catch (error) {',
    to: `} catch (error) {\n  if (${what}) throw error;`,
  });

  criterion('The client shows a failure in one line, also the death of the agent, and leaves nobody behind', {
    gap: 'it ended with a stack trace, and the MCP server searched on',
    plant: { ...without('true'), red: /expected .*to match/ },
    async check(stage) {
      const refused = await client(stage, 'loop broken');
      const end = await refused.ended();
      expect(end).toMatchObject({ code: '1', isRestored: true });
      expect(end.stderr).toMatch(/^\nfailed: 400 [^\n]*no such model[^\n]*\n$/);
      const orphaned = await client(stage, 'loop search');
      await orphaned.sees(/→ search/);
      const [agent] = await orphaned.mark.alive(/main\.ts loop/);
      process.kill(agent!.pid, 'SIGKILL');
      const death = await orphaned.ended();
      expect(death).toMatchObject({ code: '1', isRestored: true });
      expect(death.stderr).toMatch(/\nfailed: ACP connection closed\n/);
      const left = async (): Promise<number> => (await orphaned.mark.alive(/mcp-server/)).length;
      for (const last = Date.now() + waitMs(1500); (await left()) > 0 && Date.now() < last;) await sleep(20);
      expect(await left()).toBe(0);
    },
  });

  criterion('A key before the prompt is sent is a cancel as well', {
    gap: 'it ended with a stack trace',
    plant: { ...without('isCancelledError(error)'), red: /never saw .*cancelled/ },
    async check(stage) {
      const program = await client(stage, 'loop story');
      program.type('\x1b'); // long before the agent can answer
      await program.sees(/── cancelled/);
      expect(await program.ended()).toEqual({ code: '0', isRestored: true, stderr: '' });
    },
  });

  inTable();
});
