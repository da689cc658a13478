import type { Agent, AgentMessage, BeforeToolCallContext, BeforeToolCallResult } from '@mariozechner/pi-agent-core';
import { createAssistantMessageEventStream, type AssistantMessage } from '@mariozechner/pi-ai';
import { guardTools, toolContextOf } from '../../../../src/guard/index.ts';
import {
  interruptedNote,
  lateNote,
  priorityMessage,
  runUntilCancelled,
  type InterruptController,
  type RunTurnOptions,
  type ToolOutcome,
  type Turn,
  type TurnReport,
} from '../../../../src/index.ts';
import { openaiChat } from '../../../../src/transcript/dialects/openai-chat/index.ts';

const said = ({ content }: AssistantMessage) => content.filter(({ type }) => type === 'text');

/** What had been said before the cut, without half a call; pi would leave all of it out of the next request. */
function kept({ errorMessage: _, ...message }: AssistantMessage): AssistantMessage {
  return { ...message, content: said(message), stopReason: 'stop' };
}

type Options = RunTurnOptions & { graceMs?: number };

/** One prompt of a pi agent as a turn. What its loop calls is wrapped for this prompt only. */
export async function promptPi(
  controller: InterruptController,
  agent: Agent,
  prompt: string,
  { graceMs = 1000, ...options }: Options = {},
) {
  const { streamFn, beforeToolCall, state } = agent;
  const { tools } = state;
  const first = state.messages.length;
  const report = await controller.runTurn(async (turn) => {
    if (state.isStreaming) throw new TypeError('the agent is at work for somebody else');
    const notes = controller.takeLateOutcomes().map(lateNote);
    const stopped = controller.consumeWasInterrupted();
    if (stopped) notes.unshift(interruptedNote(stopped));
    agent.streamFn = streamUnder(turn, streamFn);
    putUnder(turn, agent, graceMs);
    // pi asks for messages behind each round.
    const leave = agent.subscribe(({ type }) => {
      if (type !== 'turn_end') return;
      for (const { message } of turn.takeInterjections()) agent.steer(userMessage(priorityMessage(message)));
    });
    using _stop = turn.token.onCancelled(() => agent.abort());
    try {
      await runUntilCancelled(
        turn.token,
        () => {
          const running = agent.prompt([...notes, prompt].join('\n\n'));
          agent.signal?.addEventListener('abort', () => void turn.cancel()); // pi's own button
          return running;
        },
        { graceMs: graceMs + 200 }, // pi has to write down what became of its calls
      );
    } finally {
      leave();
      Object.assign(agent, { streamFn, beforeToolCall });
      state.tools = tools;
    }
    turn.checkpoint();
    if (state.errorMessage !== undefined) throw new Error(state.errorMessage);
  }, options);
  state.messages = [...state.messages.slice(0, first), ...state.messages.slice(first).flatMap(retold(report))];
  return report;
}

const userMessage = (content: string): AgentMessage => ({ role: 'user', content, timestamp: Date.now() });

/** A model call of the turn for each of the loop's: none after a stop, and a cut one ends with what it had said. */
function streamUnder(turn: Turn<string>, streamFn: Agent['streamFn']): Agent['streamFn'] {
  return (model, context, options) => {
    const out = createAssistantMessageEventStream();
    const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
    let last: AssistantMessage = {
      ...{ role: 'assistant', content: [], api: model.api, provider: model.provider, model: model.id },
      ...{ usage: { ...usage, cost: { ...usage, total: 0 } }, stopReason: 'stop', timestamp: Date.now() },
    };
    const call = turn.model(async ({ signal, partial, usage }) => {
      for await (const event of await streamFn(model, context, { ...options, signal })) {
        if (signal.aborted) break;
        if (event.type === 'error') throw new Error(event.error.errorMessage);
        last = event.type === 'done' ? event.message : event.partial;
        partial({
          text: said(last)
            .map((part) => ('text' in part ? part.text : ''))
            .join(''),
        });
        usage({ outputTokens: last.usage.output });
        out.push(event);
      }
    });
    call.then(
      // Cut by a message: the loop goes on with what was said, and without half a call. Else it has ended by itself.
      () => out.push({ type: 'done', reason: 'stop', message: kept(last) }),
      (error: unknown) => {
        const reason = turn.token.isCancelled ? 'aborted' : 'error';
        const errorMessage = error instanceof Error ? error.message : String(error);
        out.push({ type: 'error', reason, error: { ...last, stopReason: reason, errorMessage } });
      },
    );
    return out;
  };
}

/** The tools, with pi's question before each call asked inside it: a stop withdraws that, and the call is `not-started`. */
function putUnder(turn: Turn<string>, agent: Agent, graceMs: number): void {
  const { beforeToolCall, state } = agent;
  const asked = new Map<unknown, BeforeToolCallContext>();
  const asking = state.tools.map((tool) => ({
    ...tool,
    async execute(...[id, args, signal, onUpdate]: Parameters<typeof tool.execute>) {
      const [before, context] = [asked.get(args), toolContextOf(signal)];
      if (before !== undefined && beforeToolCall !== undefined && context !== undefined) {
        const answer = await context.ask<BeforeToolCallResult | undefined>((respond) => {
          beforeToolCall(before, signal).then(respond, (error: unknown) =>
            respond({ block: true, reason: String(error) }),
          );
        });
        if (answer.status === 'answered' && answer.value?.block === true) context.decline(answer.value.reason);
      }
      return tool.execute(id, args, signal, onUpdate);
    },
  }));
  if (beforeToolCall !== undefined) {
    agent.beforeToolCall = async (before) => void asked.set(before.args, before);
  }
  state.tools = guardTools(asking, { turn, graceMs, identify: ([id]) => id });
}

/** pi's messages with what the ledger knows: what completed is no error, and a reply that was cut stays in the conversation. */
function retold({ calls, ...report }: TurnReport<void>): (message: AgentMessage) => AgentMessage[] {
  const rows = new Map<string, ToolOutcome>(calls.map((row) => [row.id, row]));
  const reason = report.status === 'cancelled' ? report.reason : undefined;
  return (message) => {
    if (message.role === 'assistant' && message.stopReason === 'aborted') {
      return said(message).length === 0 ? [] : [kept(message)];
    }
    const row = message.role === 'toolResult' ? rows.get(message.toolCallId) : undefined;
    if (message.role !== 'toolResult' || row === undefined || row.status === 'failed') return [message];
    if (row.status === 'completed' && row.afterStop !== true) {
      return [{ ...message, ...(row.value as Pick<typeof message, 'content' | 'details'>), isError: false }];
    }
    const [told] = openaiChat.toolResults([row], { reason });
    const text = typeof told?.content === 'string' ? told.content : JSON.stringify(told?.content);
    return [{ ...message, content: [{ type: 'text', text }], isError: row.status !== 'completed' }];
  };
}
