/**
 * A realtime session whose Stop holds. `session.interrupt()` ends the voice, and not the tools: one that ends afterwards starts a new response. Here what a
 * person asks for is a turn until they press Stop, and a call that the stop met starts nothing.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  backgroundResult,
  OpenAIRealtimeWebSocket,
  RealtimeAgent,
  RealtimeSession,
  tool,
} from '@openai/agents/realtime';
import { InterruptController, type ToolContext, type Turn, type TurnReport } from 'desist';
import { messageWriter } from 'desist/transcript';
import { openaiAgents } from 'desist/transcript/openai-agents';
import { WebSocketServer } from 'ws';
import { z } from 'zod';

class StoppableSession {
  readonly agent = new InterruptController({ name: 'voice', graceMs: 20 });
  turn: Turn | undefined;
  running: Promise<TurnReport<unknown>> = this.begin();

  begin() {
    return this.agent.runTurn((turn) => (this.turn = turn).token.whenCancelled());
  }

  /** A tool's work, as a call of the turn. */
  async use(id: string, name: string, work: (context: ToolContext) => unknown) {
    const { turn } = this;
    const outcome = await turn?.tool({ id, name }, (_call, context) => work(context));
    if (outcome?.status === 'completed' && turn?.token.isCancelled === false) return outcome.value;
    // The result reaches the model, and starts no response.
    return backgroundResult(JSON.stringify(outcome && messageWriter(openaiAgents).toolResults([outcome])));
  }

  /** The Stop button. */
  async stop(session: RealtimeSession) {
    session.interrupt();
    this.agent.cancel('user');
    const report = await this.running;
    this.running = this.begin();
    return report;
  }
}

// Stands for OpenAI: its first response calls a tool.
const server = new WebSocketServer({ port: 0 });
await once(server, 'listening');
let responses = 0;
server.on('connection', (socket) => {
  socket.on('message', (data: Buffer) => {
    const { type } = JSON.parse(data.toString()) as { type: string };
    if (type !== 'response.create' || ++responses > 1) return;
    const item = {
      id: 'item',
      type: 'function_call',
      call_id: 'call',
      name: 'pay',
      arguments: '{}',
      status: 'completed',
    };
    const send = (event: object) => socket.send(JSON.stringify({ event_id: 'e', ...event }));
    send({ type: 'response.output_item.done', response_id: 'r', output_index: 0, item });
    send({ type: 'response.done', response: { id: 'r', status: 'completed', output: [item] } });
  });
});
const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Asks for something; gives the session once the tool is at work. */
async function ask(execute: (id: string) => unknown) {
  responses = 0;
  let started = () => {};
  const isAtWork = new Promise<void>((resolve) => (started = resolve));
  const pay = tool({
    name: 'pay',
    description: 'pays',
    parameters: z.object({}),
    execute: (_input, _context, details) => (started(), execute(details?.toolCall?.callId ?? 'pay')),
  });
  const transport = new OpenAIRealtimeWebSocket({ url });
  const session = new RealtimeSession(new RealtimeAgent({ name: 'voice', tools: [pay] }), { transport });
  await session.connect({ apiKey: 'none', url });
  session.sendMessage('Pay the rent.');
  await isAtWork;
  return session;
}

// Alone: the tool ends after the stop, and the model is asked again.
const alone = await ask(() => sleep(50, 'paid'));
alone.interrupt();
await sleep(150);
console.log(responses);
alone.close();

const voice = new StoppableSession();
// A payment that looks at no signal, and ends after the stop.
let endPayment = (_paid: string) => {};
const pay = () => new Promise((resolve) => (endPayment = resolve));
const session = await ask((id) => voice.use(id, 'pay', pay));
const report = await voice.stop(session);
endPayment('paid');
await sleep(150);
console.log(report.calls.map(({ name, status }) => [name, status]));
console.log(responses);
session.close();
await voice.agent.close();
server.close();

// Output:
// 2
// [ [ 'pay', 'unknown' ] ]
// 1
