/**
 * Finds every breach of the Messages API's rules in a transcript.
 * Written from the provider's rules alone and sharing nothing with the settler, so that each can be tested by the other.
 *
 * @module
 */
import type { IdPolicy } from '../../dialect.ts';
import type { Note } from '../rules.ts';
import type { AnthropicMessage } from './message.ts';

type Json = Readonly<Record<string, unknown>>;

/** Notes every breach, message by message. */
export function checkAnthropic(messages: readonly AnthropicMessage[], note: Note, ids: IdPolicy, isOver = false): void {
  if (ids === 'normalise') checkNames(messages, note);
  const callIds = new Set<unknown>();
  const serverIds = new Set<unknown>();
  const answeredAfter = answersAfterTurns(messages);
  /** What the model called in the turn before: messages of the model that follow each other are one. */
  let called = new Set<unknown>();
  messages.forEach((message, at) => {
    const blocks = contentOf(message);
    checkContent(message, blocks, at, note);
    checkSpeaker(message, blocks, at, note);
    if (message.role === 'assistant') {
      checkCalls(blocks, answeredAfter[at] ?? new Set(), at, callIds, note);
      checkReasoning(blocks, messages[at + 1]?.role !== 'assistant', at, note);
      checkCallers(blocks, serverIds, at, note);
    }
    checkResults(message, blocks, called, at, note);
    if (message.role !== 'assistant') called = new Set();
    else for (const block of blocks) if (block['type'] === 'tool_use') called.add(block['id']);
  });
  checkEnd(messages, note);
  checkServerCalls(messages, note, isOver);
}

/** Ids and names hold only these characters, whoever made them. */
function checkNames(messages: readonly AnthropicMessage[], note: Note): void {
  messages.forEach((message, at) => {
    for (const block of contentOf(message)) {
      const id = block['tool_use_id'] ?? (/tool_use$/.test(String(block['type'])) ? block['id'] : undefined);
      if (typeof id === 'string' && id !== '' && !/^[a-zA-Z0-9_-]+$/.test(id)) {
        note(at, 'id-characters', `an id holds characters that no id may hold: ${id}`);
      }
      const name = block['type'] === 'tool_use' ? block['name'] : undefined;
      if (typeof name === 'string' && name !== '' && !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
        note(at, 'name-characters', `${name} is a name that no tool can have`);
      }
    }
  });
}

function contentOf(message: AnthropicMessage | undefined): readonly Json[] {
  const content: unknown = message?.content;
  return Array.isArray(content) ? (content as Json[]) : [];
}

function checkContent(message: AnthropicMessage, blocks: readonly Json[], at: number, note: Note): void {
  const isEmpty = typeof message.content === 'string' ? !/\S/.test(message.content) : blocks.length === 0;
  if (message.role === 'system' && message.content === undefined) return;
  if (isEmpty) note(at, 'message-not-empty', 'the message holds nothing');
  const inResults = blocks.flatMap((block) =>
    block['type'] === 'tool_result' && Array.isArray(block['content']) ? (block['content'] as Json[]) : [],
  );
  for (const block of [...blocks, ...inResults]) {
    const { content: summary } = block;
    if (block['type'] === 'compaction' && !(typeof summary === 'string' && /\S/.test(summary))) {
      note(at, 'text-not-empty', 'a compaction holds no visible character');
    }
    if (block['type'] === 'text' && !(typeof block['text'] === 'string' && /\S/.test(block['text']))) {
      note(at, 'text-not-empty', 'a text holds no visible character');
    }
  }
}

function checkSpeaker(message: AnthropicMessage, blocks: readonly Json[], at: number, note: Note): void {
  if (message.role === 'assistant') return;
  for (const { type } of blocks) {
    if (type !== 'tool_result' && /(?:thinking|tool_use|_tool_result)$/.test(String(type))) {
      note(at, 'block-by-model', `only the model can say a ${String(type)}`);
    }
  }
}

function checkCalls(
  blocks: readonly Json[],
  answered: ReadonlySet<unknown>,
  at: number,
  callIds: Set<unknown>,
  note: Note,
): void {
  for (const call of blocks) {
    if (call['type'] !== 'tool_use') continue;
    const { id, name, input } = call;
    const label = `${String(name)} (${String(id)})`;
    if (!id || typeof id !== 'string' || !name) note(at, 'call-id', `a call has no id or no name: ${label}`);
    else if (callIds.has(id)) note(at, 'call-id', `two calls share an id: ${label}`);
    callIds.add(id);
    if (Object.prototype.toString.call(input) !== '[object Object]') {
      note(at, 'call-arguments', `the arguments of ${label} are not an object`);
    }
    if (!answered.has(id)) {
      note(at, 'call-answered', `${label} has no result in the user message directly after it`);
    }
  }
}

/** For each message, what is answered by the message that comes after the model's turn. */
function answersAfterTurns(messages: readonly AnthropicMessage[]): readonly ReadonlySet<unknown>[] {
  let answered: ReadonlySet<unknown> = new Set();
  const after = messages.map((): ReadonlySet<unknown> => answered);
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    after[at] = answered;
    const message = messages[at];
    if (message?.role === 'assistant') continue;
    const results = message?.role === 'user' ? contentOf(message).filter(isResult) : [];
    answered = new Set(results.map((result) => result['tool_use_id']));
  }
  return after;
}

/** A call that a server tool made names one that is there. */
function checkCallers(blocks: readonly Json[], serverIds: Set<unknown>, at: number, note: Note): void {
  for (const block of blocks) {
    const type = String(block['type']);
    if (type !== 'tool_use' && type.endsWith('_tool_use')) serverIds.add(block['id']);
    const maker = (block['caller'] as Json | null | undefined)?.['tool_id'];
    if (type === 'tool_use' && typeof maker === 'string' && maker !== '' && !serverIds.has(maker)) {
      note(at, 'caller-there', `${String(block['id'])} was made by a server tool that is not there`);
    }
  }
}

function checkReasoning(blocks: readonly Json[], isEnd: boolean, at: number, note: Note): void {
  for (const block of blocks) {
    if (block['type'] === 'thinking' && !block['signature']) note(at, 'thinking-signed', 'reasoning has no signature');
    if (block['type'] === 'redacted_thinking' && !block['data']) note(at, 'thinking-signed', 'reasoning has no data');
  }
  const last = blocks[blocks.length - 1]?.['type'];
  if (isEnd && (last === 'thinking' || last === 'redacted_thinking')) {
    note(at, 'thinking-not-last', 'the message ends in reasoning');
  }
}

function checkResults(
  message: AnthropicMessage,
  blocks: readonly Json[],
  open: ReadonlySet<unknown>,
  at: number,
  note: Note,
): void {
  const answered = new Set<unknown>();
  let otherSeen = false;
  for (const block of blocks) {
    if (block['type'] !== 'tool_result') {
      otherSeen = true;
      continue;
    }
    const id = block['tool_use_id'];
    if (message.role !== 'user' || !open.has(id)) {
      note(at, 'result-has-call', `a result has no call in the message before it: ${String(id)}`);
    }
    if (answered.has(id)) note(at, 'one-result-per-call', `a call has two results: ${String(id)}`);
    answered.add(id);
    if (otherSeen) note(at, 'results-first', `something stands before the result of ${String(id)}`);
    const { content } = block;
    const says = typeof content === 'string' ? /\S/.test(content) : Array.isArray(content) && content.length > 0;
    if (block['is_error'] !== true) continue;
    if (!says) note(at, 'error-says-why', `an error has no text: ${String(id)}`);
    if (Array.isArray(content) && content.some((one: Json) => one['type'] !== 'text')) {
      note(at, 'error-is-text', `an error holds something else than text: ${String(id)}`);
    }
  }
}

function checkEnd(messages: readonly AnthropicMessage[], note: Note): void {
  const at = messages.length - 1;
  const message = messages[at];
  if (message?.role !== 'assistant') return;
  const blocks = contentOf(message);
  const text = typeof message.content === 'string' ? message.content : blocks[blocks.length - 1]?.['text'];
  if (typeof text === 'string' && /\s$/.test(text)) note(at, 'no-trailing-space', 'the last reply ends in white space');
}

/** Calls and results of the tools on the provider's side: in pairs, but for what is still going on at the end. */
function checkServerCalls(messages: readonly AnthropicMessage[], note: Note, isOver: boolean): void {
  const open = new Map<unknown, number>();
  const seen = new Set<unknown>();
  messages.forEach((message, at) => {
    if (message.role !== 'assistant') return;
    for (const block of contentOf(message)) {
      const type = String(block['type']);
      if (type !== 'tool_use' && type.endsWith('_tool_use')) {
        const id = block['id'];
        if (open.has(id)) note(open.get(id) as number, 'server-call-answered', `${String(id)} has no result`);
        open.set(id, at);
        seen.add(id);
      } else if (type !== 'tool_result' && type.endsWith('_tool_result')) {
        const id = block['tool_use_id'];
        if (!seen.has(id)) note(at, 'server-call-answered', `a server tool's result has no call: ${String(id)}`);
        else if (!open.has(id)) note(at, 'one-result-per-call', `a server tool's call has two results: ${String(id)}`);
        open.delete(id);
      }
    }
  });
  const isAnswer = (message: AnthropicMessage | undefined): boolean =>
    contentOf(message).some(isResult) && contentOf(message).every(isResult);
  let end = messages.length - 1;
  while (isAnswer(messages[end])) end -= 1;
  // Since when nobody but the model and its tools has spoken.
  let start = end;
  while (messages[start]?.role === 'assistant' || isAnswer(messages[start])) start -= 1;
  const makers = contentOf(messages[end]).map((block) => (block['caller'] as Json | null | undefined)?.['tool_id']);
  for (const [id, at] of open) {
    const isGoingOn = at === end || (id !== undefined && makers.includes(id));
    if (isOver || at <= start || !isGoingOn) note(at, 'server-call-answered', `${String(id)} has no result`);
  }
}

function isResult(block: Json): boolean {
  return block['type'] === 'tool_result';
}
