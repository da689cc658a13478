/** Two ACP agents over stdio: `echo`, which answers after 30 seconds, and `loop`, which works with the tools of an MCP server. */
import { Readable, Writable } from 'node:stream';
import { agent, ndJsonStream, PROTOCOL_VERSION } from '@agentclientprotocol/sdk';
import { delay } from 'desist';
import { acpSessions, type AcpTurn } from 'desist/acp';
import { LoopSession, openTools, say } from './loop.ts';
import { openModel } from './model.ts';

const ECHO_MS = 30_000;

const isEcho = process.argv[2] === 'echo';
const model = await openModel(process.env);
const tools = isEcho ? undefined : await openTools();
const loops = new Map<string, LoopSession>();
const sessions = acpSessions();
let count = 0;

async function echo(text: string, { turn, update }: AcpTurn): Promise<{ stopReason: 'end_turn' }> {
  await update(say(`In ${ECHO_MS / 1000} seconds.`));
  await delay(turn.token, ECHO_MS);
  await update(say(text));
  return { stopReason: 'end_turn' };
}

const app = agent({ name: 'classic' })
  .onRequest('initialize', () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest('session/new', () => {
    const sessionId = `s${String((count += 1))}`;
    if (tools !== undefined) loops.set(sessionId, new LoopSession(model, tools));
    return { sessionId };
  })
  .onRequest('session/prompt', (context) => {
    const text = context.params.prompt.map((block) => (block.type === 'text' ? block.text : '')).join('\n');
    const loop = loops.get(context.params.sessionId);
    if (loop === undefined) return sessions.prompt(context, (turn) => echo(text, turn));
    return sessions.prompt(
      context,
      (turn: Parameters<typeof loop.run>[0]) => loop.run(turn),
      (own, body, options) => loop.chat.runTurn(own, text, body, options),
    );
  })
  .onNotification('session/cancel', (context) => void sessions.cancel(context));

const connection = app.connect(
  ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>),
);
await connection.closed;
await sessions.closeAll('disconnect');
await tools?.mcp.close();
await model.close();
