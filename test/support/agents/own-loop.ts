/** A loop written by hand on the front door, with the real SDK of Anthropic: nothing of it is faked. */
import Anthropic from '@anthropic-ai/sdk';
import { foldAnthropic, readStream, type ModelReply } from '../../../src/adapters/llm/index.ts';
import { priorityMessage, type Turn } from '../../../src/index.ts';
import { anthropic } from '../../../src/transcript/dialects/anthropic/index.ts';
import type { AgentHarness } from '../../../src/testing/index.ts';
import { startProgram } from './program.ts';
import { underController, type ControlledLoop, type LoopTurn } from './under-controller.ts';
import { repairReport } from '../../transcript/support/repair-report.ts';
import { messageWriter } from '../../../src/transcript/index.ts';

type Message = Anthropic.MessageParam;

const schema = { type: 'object' as const, properties: {} };

/** Whose calls may go on in the background. */
const detachable: ReadonlySet<string> = new Set(['tidy']);

/** What a turn has said and heard, also if it is stopped in the middle. */
const conversations = new WeakMap<Turn, Message[]>();

async function loop(
  turn: Turn,
  { url, messages: before, tools, passive, idleMs, oneByOne, isRebuilt, compacted }: LoopTurn,
): Promise<string> {
  const first = new Anthropic({ baseURL: url, apiKey: 'none' });
  const client = isRebuilt ? first.withOptions({ maxRetries: 1 }) : first;
  const messages = [...before] as Message[];
  conversations.set(turn, messages);
  const specs = Object.keys(tools).map((name) => ({ name, description: 'works', input_schema: schema }));
  const ask = (content: readonly Message[]) =>
    turn.model(
      ({ token, partial, readInterjections }) => {
        const told = readInterjections().map(({ message }): Message => ({
          role: 'user',
          content: priorityMessage(String(message)),
        }));
        const body = { model: 'scripted', max_tokens: 1_000, messages: [...content, ...told], tools: specs };
        return readStream(
          token,
          ({ signal }) => client.messages.create({ ...body, stream: true as const }, { signal }),
          { fold: foldAnthropic, onProgress: partial },
        );
      },
      { idleMs },
    );
  for (;;) {
    messages.splice(0, Infinity, ...compacted(messages));
    const reply = await ask(messages);
    for (const { message } of reply.delivered)
      messages.push({ role: 'user', content: priorityMessage(String(message)) });
    if (reply.status === 'interjected') {
      messages.push(...(messageWriter(anthropic).reply(reply) as Message[]));
      continue;
    }
    const { message, calls, text } = reply.value;
    messages.push(message);
    const outcomes = await turn.tools(
      calls,
      async ({ name }, { signal }) => {
        const tool = tools[name];
        if (tool === undefined) throw new TypeError(`there is no tool ${name}`);
        return await tool({ signal });
      },
      {
        onInterject: calls.some(({ name }) => passive.includes(name)) ? 'yield' : 'finish',
        mode: oneByOne ? 'sequential' : 'parallel',
        canDetach: calls.every(({ name }) => detachable.has(name)),
      },
    );
    if (outcomes.length > 0) messages.push(...(messageWriter(anthropic).toolResults(outcomes) as Message[]));
    else if (!turn.hasInterjections) return text;
  }
}

export const ownLoop: ControlledLoop = {
  name: 'own loop',
  honours: ['oneByOne', 'after-current-tool', 'compactInto', 'verbatim'],
  canDetach: true,
  canRebuild: true,
  run: loop,
  messagesOf: (turn, { messages }) => conversations.get(turn) ?? messages,
  settle: (messages, report) => repairReport(messages as never[], report, { dialect: anthropic }).messages,
  outputTokensOf: ({ partials }) =>
    (partials.at(-1)?.value as ModelReply<unknown, unknown> | undefined)?.usage.outputTokens,
};

/** A fresh agent that does everything right. */
export function goodAgent(): AgentHarness {
  return { ...underController(ownLoop), startProgram: (start) => startProgram(start, { guardian: true }) };
}
