/**
 * Strands under a turn. By itself a tool that looks at no signal holds its stop up, and the words of a cut reply are lost: the model reads that it has
 * said "Cancelled by user". Here each call has its grace, and the next prompt says what became of it.
 */
import {
  Agent,
  InvokeModelStage,
  Message,
  ModelStreamUpdateEvent,
  TextBlock,
  tool,
  ToolResultBlock,
} from '@strands-agents/sdk';
import type { AgentStreamEvent, MiddlewareHandlerOf } from '@strands-agents/sdk';
import { OpenAIModel } from '@strands-agents/sdk/models/openai';
import { InterruptController, type Turn, type TurnReport } from 'desist';
import { guardTools } from 'desist/guard';
import { deferred, startModelServer } from 'desist/testing';
import { openaiResponses } from 'desist/transcript/openai-responses';

type Work = Record<string, () => Promise<string>>;

const userMessage = (text: string) => new Message({ role: 'user', content: [new TextBlock(text)] });

/** Each model call is one of the turn: its words are kept, and what a person says meanwhile is in the next one. */
const underTurn = (turn: Turn, show: (words: string) => void): MiddlewareHandlerOf<typeof InvokeModelStage> =>
  async function* (context, next) {
    for (;;) {
      const events: AgentStreamEvent[] = [];
      const reply = await turn.model(async ({ partial, readInterjections }) => {
        const said = readInterjections().map(({ message }) => userMessage(String(message)));
        const call = next({ ...context, messages: [...context.messages, ...said] });
        let words = '';
        for (;;) {
          const step = await call.next();
          if (step.done === true) return step.value;
          events.push(step.value); // they come with the end of the call
          const event = step.value.type === 'modelStreamUpdateEvent' ? step.value.event : undefined;
          const delta = event?.type === 'modelContentBlockDeltaEvent' ? event.delta : undefined;
          if (delta?.type !== 'textDelta') continue;
          show(delta.text);
          partial((words += delta.text));
        }
      });
      yield* events;
      if (reply.status === 'completed') return reply.value;
    }
  };

/** After a stop: what the model had said in the place of Strands' words, and what became of each call. */
function settle(messages: Message[], { calls, partials, ...report }: TurnReport<unknown>) {
  if (report.status !== 'cancelled') return;
  const [cut] = partials.slice(-1);
  if (cut !== undefined) {
    const text = openaiResponses.texts.cut(String(cut.value), report.reason);
    messages.push(new Message({ role: 'assistant', content: [new TextBlock(text)] }));
  }
  for (const { content } of messages) {
    for (const [at, block] of content.entries()) {
      const call = block.type === 'toolResultBlock' && calls.find(({ id }) => id === block.toolUseId);
      if (!call) continue;
      const text = new TextBlock(openaiResponses.texts.outcome(call, report.reason));
      const status = call.status === 'completed' ? 'success' : 'error';
      content[at] = new ToolResultBlock({ toolUseId: call.id, status, content: [text] });
    }
  }
}

const controller = new InterruptController({ name: 'strands', graceMs: 20 });

/** Says what a conversation is told after each of three stops. */
async function play(isUnderTurn: boolean) {
  const call = (name: string) => ({ toolCalls: [{ id: `call-${name}`, name, input: {} }] });
  const server = await startModelServer({
    script: [{ text: 'I pay now.', silentAfter: 1 }, call('pay'), call('ship'), 'Went on.'],
  });
  const model = new OpenAIModel({ modelId: 'scripted', apiKey: 'none', clientConfig: { baseURL: `${server.url}/v1` } });
  const heard = deferred();
  const sent = deferred<string>();
  const atWork = deferred();
  const work: Work = {
    pay: async () => (stop(), 'paid'), // a person presses Stop, and the next call is not made
    ship: async () => (atWork.resolve(), sent.promise), // looks at no signal
  };
  const tools = (own: Work) =>
    Object.entries(own).map(([name, callback]) => tool({ name, description: name, callback }));
  let messages: Message[] = [];
  let stop = (): unknown => undefined;
  const prompt = (text: string) => {
    const abort = new AbortController();
    stop = () => (isUnderTurn ? controller.cancel('user') : abort.abort());
    if (!isUnderTurn) {
      const agent = new Agent({ model, messages, tools: tools(work), printer: false });
      agent.addHook(ModelStreamUpdateEvent, () => heard.resolve());
      return agent.invoke(text, { cancelSignal: abort.signal }).finally(() => (messages = agent.messages));
    }
    const running = controller.runTurn(async (turn) => {
      const agent = new Agent({ model, messages, tools: tools(guardTools(work, { turn })), printer: false });
      agent.addMiddleware(
        InvokeModelStage,
        underTurn(turn, () => heard.resolve()),
      );
      await agent.invoke(text, { cancelSignal: turn.signal }).finally(() => (messages = agent.messages));
      turn.checkpoint(); // after a stop it resolves
    });
    return running.then((report) => settle(messages, report));
  };

  let running: PromiseLike<unknown> = prompt('Pay.');
  await heard.promise;
  stop();
  await running;
  await prompt('Pay at once.');
  running = prompt('Ship it.');
  await atWork.promise;
  stop();
  const isHeldUp = await Promise.race([running, new Promise((resolve) => setTimeout(resolve, 2_000, true))]);
  console.log(isHeldUp === true ? 'held up' : 'stopped');
  sent.resolve('shipped');
  await running;
  await prompt('And now?');
  const { input } = server.requests.at(-1)?.body as {
    input: { content?: { text: string }[] | string; output?: string }[];
  };
  for (const { content, output } of input) {
    const said = typeof content === 'object' ? content.map(({ text }) => text).join('') : (content ?? output);
    if (said !== undefined) console.log(`  ${said.replaceAll(/\s+/g, ' ').trim()}`);
  }
  await server.close();
}

await play(false);
await play(true);
await controller.close();

// Output:
// held up
//   Pay.
//   Cancelled by user
//   Pay at once.
//   paid
//   Cancelled by user
//   Ship it.
//   shipped
//   Cancelled by user
//   And now?
// stopped
//   Pay.
//   I [This reply was cut off before its end: the user cancelled.]
//   Pay at once.
//   paid This call returned after it had been told to stop: the user cancelled. What it returned says how far it came; what it did is real: do not repeat that.
//   Cancelled by user
//   Ship it.
//   [ERROR] This call did not end when it was told to stop: the user cancelled. It may still complete, or have completed: check before you repeat it. Do not retry it; wait for instructions.
//   Cancelled by user
//   And now?
