/**
 * Finds every breach of the AI SDK's rules in a transcript of a user interface.
 * Written from the SDK's rules alone and sharing nothing with the settler, so that each can be tested by the other.
 *
 * @module
 */
import type { IdPolicy } from '../../../dialect.ts';
import type { Note } from '../../rules.ts';
import type { AISDKUIMessage } from '../message.ts';

type Json = Readonly<Record<string, unknown>>;

/** Notes every breach, message by message. */
export function checkUIMessages(messages: readonly AISDKUIMessage[], note: Note, ids: IdPolicy, isOver = false): void {
  const used = new Set<unknown>();
  messages.forEach((message, at) => {
    const parts = message.parts as unknown as readonly Json[];
    if (message.role !== 'assistant') {
      if (parts.length === 0) note(at, 'message-not-empty', 'the message holds nothing');
      return;
    }
    if (parts.every((part) => part['type'] === 'step-start'))
      note(at, 'message-not-empty', 'the message holds nothing');
    const steps: Json[][] = [[]];
    for (const part of parts) {
      if (part['type'] === 'step-start' || part['type'] === 'steering-message') steps.push([]);
      else steps[steps.length - 1]?.push(part);
    }
    steps.forEach((step, i) => {
      if (ids === 'normalise') checkIds(step, used, at, note);
      checkStep(step, !isOver && at === messages.length - 1 && i === steps.length - 1, at, note);
    });
    let last: unknown;
    for (const type of [...parts.map((part) => String(part['type'])), 'steering-message']) {
      if (type === 'steering-message' && (last === 'reasoning' || last === 'reasoning-file')) {
        note(at, 'thinking-not-last', 'the message ends in reasoning, or does before what a person said in between');
      }
      if (!/^(?:source-|data-|step-start$)/.test(type)) last = type;
    }
  });
}

/**
 * Ids that every provider takes, as they are sent as they are: also such as want them unique in the conversation. Those of
 * what a provider ran are its own, and a call without an end is told it by its id.
 */
function checkIds(parts: readonly Json[], used: Set<unknown>, at: number, note: Note): void {
  for (const { toolCallId: id, state, providerExecuted } of parts) {
    if (typeof id !== 'string') continue;
    const isOpen = providerExecuted === true || !String(state).startsWith('output-');
    if (used.has(id) && !isOpen) note(at, 'call-id', `a call before has the id ${id}`);
    if (!/^[a-zA-Z0-9_-]{0,40}$/.test(id)) {
      note(at, 'id-characters', `an id is not one that every provider takes: ${id}`);
    }
  }
  for (const { toolCallId: id } of parts) if (id !== undefined) used.add(id);
}

function checkStep(step: readonly Json[], isEnd: boolean, at: number, note: Note): void {
  const ids = new Set<unknown>();
  for (const part of step) {
    const type = String(part['type']);
    if (type === 'text' || type === 'reasoning') checkText(part, at, note);
    if (type !== 'dynamic-tool' && !type.startsWith('tool-')) continue;
    const id = part['toolCallId'];
    const name = type === 'dynamic-tool' ? part['toolName'] : type.slice(5);
    if (typeof id !== 'string' || id === '' || typeof name !== 'string' || name === '') {
      note(at, 'call-id', `a call has no id or no name: ${String(name)} (${String(id)})`);
    } else if (ids.has(id)) {
      note(at, 'call-id', `two calls of a step share an id: ${id}`);
    }
    ids.add(id);
    checkState(part, isEnd, at, note);
  }
}

function checkText(part: Json, at: number, note: Note): void {
  if (!isVisible(part['text']) && !part['providerMetadata'])
    note(at, 'text-not-empty', 'a text holds no visible character');
  else if (part['state'] === 'streaming') note(at, 'part-done', 'a text is still streaming');
}

function isVisible(text: unknown): boolean {
  return typeof text === 'string' && /\S/.test(text);
}

function checkState(part: Json, isEnd: boolean, at: number, note: Note): void {
  const id = String(part['toolCallId']);
  const approval = part['approval'] as Json | undefined;
  const approved = approval?.['approved'];
  const isFinished = String(part['state']).startsWith('output-');
  // Of a call whose arguments could not be read, the SDK sends what came.
  const input = part['input'] ?? (part['state'] === 'output-error' ? part['rawInput'] : undefined);
  const isObject = Object.prototype.toString.call(input) === '[object Object]';
  if (isFinished && input !== undefined && !isObject) {
    note(at, 'call-arguments', `the arguments of ${id} are not an object`);
  }
  // At the very end the SDK itself runs what a person allowed.
  if (isEnd && part['state'] === 'approval-responded' && typeof approved === 'boolean') return;
  switch (part['state']) {
    case 'output-available':
      if (part['preliminary'] === true && part['providerExecuted'] !== true) {
        note(at, 'call-answered', `the output of ${id} is not the last one`);
      }
      if (approval && approved !== true) note(at, 'result-content', `${id} has an output that nobody allowed`);
      else if (!('output' in part)) note(at, 'result-content', `${id} has no output`);
      return;
    case 'output-error':
      if (!isVisible(part['errorText'])) note(at, 'result-content', `the error of ${id} has no text`);
      else if (approval && approved !== true) note(at, 'result-content', `${id} has an error, but nobody allowed it`);
      return;
    case 'output-denied':
      if (approved !== false) note(at, 'result-content', `${id} was refused by nobody`);
      return;
    case 'input-streaming':
      note(at, 'call-arguments', `the arguments of ${id} are still streaming`);
      return;
    default:
      if (part['providerExecuted'] !== true) note(at, 'call-answered', `${id} has no result`);
      else if (!isEnd) note(at, 'server-call-answered', `${id} has no result`);
  }
}
