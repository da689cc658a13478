/**
 * Runs of AG-UI's own client before `serveRun`: calls in pieces and in chunks, of the agent and of its sub-agents, with others that the
 * client had before, and a stop, a failure or a message for now at any event. What the client has then can be sent again, and what it may
 * run is whole and wanted. A failure prints its seed and path; `FC_SEED` and `FC_NUM_RUNS` set them.
 */
import { fc, test } from '@fast-check/vitest';
import { expect } from 'vitest';

import { serveRun, type AgUiEvent, type AgUiMessage, type RunInput } from '../../src/adapters/ag-ui/index.ts';
import { InterruptController } from '../../src/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { faultsOf, HttpAgent, quiet } from './support/ag-ui-stage.ts';

quiet();

const json = '{"to":["Ann",{"sum":1.5,"ok":true}]}';
/** Whose call each is: of the agent, or of a sub-agent. */
const senders = { a: undefined, b: undefined, c: 's', d: 's', e: 't' } as const;
type Id = keyof typeof senders;

const id = fc.constantFrom<Id>('a', 'b', 'c', 'd', 'e');
const op = fc.record({
  do: fc.constantFrom(
    'start',
    'args',
    'end',
    'chunk',
    'chunk',
    'more',
    'more',
    'more',
    'result',
    'words',
    'custom',
    'raw',
  ),
  id,
  size: fc.integer({ min: 1, max: json.length }),
  isTagged: fc.boolean(),
});
const scenario = fc.record({
  had: fc.uniqueArray(fc.record({ id, size: fc.constantFrom(3, json.length), isAnswered: fc.boolean() }), {
    selector: ({ id: of }) => of,
    maxLength: 3,
  }),
  ops: fc.array(op, { maxLength: 24, size: 'max' }),
  cutAt: fc.integer({ min: 0, max: 24 }),
  how: fc.constantFrom('stop', 'fail', 'message', 'nothing'),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer S> ? S : never;

/** The events of a run that its client takes, each of the steps that come to one. */
function eventsOf({ had, ops }: Scenario): AgUiEvent[] {
  const lengths = new Map<Id, number>(had.map((call) => [call.id, call.size]));
  const answered = new Set(had.filter(({ isAnswered }) => isAnswered).map((call) => call.id));
  const open = new Set<Id>();
  /** The part that each sender gives in chunks. */
  const parts = new Map<string | undefined, Id | 'words'>();
  const begun = new Set<string>();
  const piece = (call: Id, size: number): string => {
    const from = lengths.get(call) ?? 0;
    lengths.set(call, Math.min(json.length, from + size));
    return json.slice(from, from + size);
  };
  return ops.flatMap((step): AgUiEvent[] => {
    const { id: toolCallId, size } = step;
    const sender = senders[toolCallId];
    const isCalls = parts.get(sender) === toolCallId;
    const tag = sender !== undefined && step.isTagged ? { subagentRunId: sender } : {};
    const own = { toolCallId, ...(sender !== undefined && { subagentRunId: sender }) };
    const first = sender === undefined || begun.has(sender) ? [] : [{ type: 'SUBAGENT_STARTED', subagentRunId: sender, name: sender }]; // prettier-ignore
    const say = (event: object): AgUiEvent[] => {
      if (sender !== undefined) begun.add(sender);
      return [...first, event as AgUiEvent];
    };
    if (step.do === 'start' && !open.has(toolCallId) && !isCalls) {
      parts.delete(sender);
      open.add(toolCallId);
      // One without arguments is the client's to read as it likes.
      const begins = { type: 'TOOL_CALL_ARGS', delta: piece(toolCallId, size), ...own };
      return [...say({ type: 'TOOL_CALL_START', toolCallName: 'pay', ...own }), begins];
    }
    if (step.do === 'args' && open.has(toolCallId)) {
      if ('subagentRunId' in tag || sender === undefined) parts.delete(sender);
      else parts.delete(undefined);
      return say({ type: 'TOOL_CALL_ARGS', toolCallId, delta: piece(toolCallId, size), ...tag });
    }
    if (step.do === 'end' && open.delete(toolCallId)) {
      parts.delete(sender);
      return say({ type: 'TOOL_CALL_END', ...own });
    }
    if (step.do === 'chunk' && !open.has(toolCallId)) {
      parts.set(sender, toolCallId);
      return say({ type: 'TOOL_CALL_CHUNK', toolCallName: 'pay', delta: piece(toolCallId, size), ...own });
    }
    const calls = [...parts].filter(([, part]) => part !== 'words');
    const mine = parts.get(sender);
    // Without a tag it is the agent's, or of the only one that can be meant.
    const isPlain = 'subagentRunId' in tag || calls.some(([of]) => of === undefined) === (sender === undefined);
    const isAlone = sender === undefined || 'subagentRunId' in tag || calls.length === 1;
    if (step.do === 'more' && mine !== undefined && mine !== 'words' && isPlain && isAlone) {
      return say({ type: 'TOOL_CALL_CHUNK', delta: piece(mine, size), ...tag });
    }
    if (step.do === 'result' && lengths.has(toolCallId) && !answered.has(toolCallId)) {
      parts.delete(sender);
      answered.add(toolCallId);
      return say({ type: 'TOOL_CALL_RESULT', messageId: `r-${toolCallId}`, content: 'paid', role: 'tool', ...own });
    }
    if (step.do === 'words') {
      parts.set(sender, 'words');
      const { subagentRunId } = own as { readonly subagentRunId?: string };
      return say({ type: 'TEXT_MESSAGE_CHUNK', messageId: `m-${String(sender)}`, delta: 'hm', subagentRunId });
    }
    if (step.do === 'custom') {
      parts.delete(undefined);
      return [{ type: 'CUSTOM', name: 'x', value: 1 } as AgUiEvent];
    }
    return step.do === 'raw' ? [{ type: 'RAW', event: {} } as AgUiEvent] : [];
  });
}

interface Called {
  readonly id: string;
  readonly function: { readonly arguments: string };
}

test.prop([scenario], { numRuns: propertyRuns(300) })(
  'what a client has behind a run can be sent again, and what it may run is whole and wanted',
  async (given) => {
    const events = eventsOf(given);
    const before = events.slice(0, given.cutAt);
    const behind = events.slice(given.cutAt);
    const server = new InterruptController({ graceMs: 0 });
    /** The calls that the cut reply has shown, and the next one has not. */
    const unwanted = new Set<string>();
    const body = async (turn: Parameters<Parameters<typeof serveRun>[1]>[0], emit: (event: AgUiEvent) => void) => {
      const shown = new Set(given.had.map(({ id: own }) => own as string));
      const reply = (said: readonly AgUiEvent[], end?: (stopped: Promise<unknown>) => unknown) =>
        turn.model(async ({ token }) => {
          for (const event of said) emit(event);
          await end?.(token.whenCancelled());
          token.throwIfCancelled();
        });
      if (given.how === 'message') {
        for (const { toolCallId } of before) if (toolCallId !== undefined && !shown.has(toolCallId)) unwanted.add(toolCallId); // prettier-ignore
        await reply(before, async (stopped) => {
          server.interject('no, pay nobody', { delivery: 'now' });
          await stopped;
        });
        turn.takeInterjections();
        await reply(behind);
        return;
      }
      await reply(before);
      if (given.how === 'fail') throw new Error('no model');
      if (given.how === 'stop') server.cancel('user');
      await reply(behind);
    };
    const fetch = (_url: unknown, { body: asked }: { readonly body?: unknown }): Promise<Response> => {
      const lines: string[] = [];
      const emit = (event: AgUiEvent): void => void lines.push(`data: ${JSON.stringify(event)}\n\n`);
      const input = JSON.parse(String(asked)) as RunInput;
      return serveRun(server, (turn, run) => body(turn, run.emit), { input, emit, dialect: openaiChat }).then(
        () => new Response(lines.join(''), { headers: { 'content-type': 'text/event-stream' } }),
      );
    };
    const had = given.had.flatMap(({ id: own, size, isAnswered }): object[] => {
      const call = { id: own, type: 'function', function: { name: 'pay', arguments: json.slice(0, size) } };
      const reply = { id: `m-${own}`, role: 'assistant', toolCalls: [call] };
      return [reply, ...(isAnswered ? [{ id: `t-${own}`, role: 'tool', toolCallId: own, content: 'paid' }] : [])];
    });
    const agent = new HttpAgent({ url: 'http://agent.test/', fetch: fetch, initialMessages: [{ id: 'u1', role: 'user', content: 'go' }, ...had] as never }); // prettier-ignore
    const failures: string[] = [];
    agent.subscribe({ onRunFailed: ({ error }) => void failures.push(error.message) });
    await agent.runAgent({});
    expect(failures).toEqual([]);
    const messages: readonly AgUiMessage[] = agent.messages;
    const callsOf = ({ toolCalls = [] }: AgUiMessage) => toolCalls as readonly Called[];
    const isAnswered = (call: Called): boolean => messages.some(({ toolCallId }) => toolCallId === call.id);
    // What the run left is the client's to answer.
    const settled = messages.flatMap((message): object[] => [
      message,
      ...callsOf(message)
        .filter((call) => !isAnswered(call))
        .map((call) => {
          expect(['message', 'nothing']).toContain(given.how);
          expect(unwanted).not.toContain(call.id);
          return { id: `own-${call.id}`, role: 'tool', toolCallId: call.id, content: 'done' };
        }),
    ]);
    expect(faultsOf(settled)).toEqual([]);
  },
);
