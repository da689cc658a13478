/**
 * Reads an Anthropic transcript into slots: what may stay in each message, and which result belongs to which call.
 * The first half of settling; everything illegal in itself, without its neighbours, ends here.
 *
 * @module
 */
import { field } from '../../reading/fields.ts';
import { createLinks, type Site } from '../../reading/links.ts';
import type { Entry } from '../../reading/settle-entries.ts';
import type { Note } from '../rules.ts';
import {
  blocksOf,
  callerOf,
  isBlankText,
  isCall,
  isServerCall,
  isServerResult,
  isThinking,
  sealOf,
  type AnthropicBlock,
  type AnthropicMessage,
} from './message.ts';

/** A block that stays, with its links if it is a call. */
export interface Part {
  readonly block: AnthropicBlock;
  readonly site: Site<AnthropicBlock> | undefined;
}

/** One message on its way to a legal one. */
export interface Slot {
  /** The index of its message. */
  readonly at: number;
  readonly entry: Entry<AnthropicMessage>;
  /** Everything that stays in this message; results are not among it, they follow their calls. */
  parts: Part[];
  /** Whether results were taken out of it. */
  readonly heldResults: boolean;
}

/** For the many messages without a call: no list of theirs is ever written to. */
const none = new Set<string>();

/**
 * Takes a transcript apart, front to back, once.
 *
 * @param isOver The turn was stopped: nobody goes on with what the provider had begun.
 */
export function readSlots(entries: readonly Entry<AnthropicMessage>[], note: Note, isOver: boolean): readonly Slot[] {
  const links = createLinks<AnthropicBlock>();
  const server = createServerCalls();
  const slots = entries.map((entry, at): Slot => {
    let here = none;
    const parts: Part[] = [];
    let heldResults = false;
    for (const block of blocksOf(entry.message.content)) {
      if (block.type === 'tool_result') {
        heldResults = true;
        const id = field(block, 'tool_use_id');
        if (links.close(at, id, block) === undefined) {
          note(at, 'result-has-call', `removed a result whose call is not in the transcript: ${String(id)}`);
        }
        continue;
      }
      const breach = breachOf(block, entry.message.role, here);
      if (breach !== undefined) {
        note(at, ...breach);
        continue;
      }
      const isOurs = entry.message.role === 'assistant' && isCall(block);
      if (isOurs) here = here === none ? new Set([block.id]) : here.add(block.id);
      const part: Part = {
        block,
        site: isOurs ? links.open(at, block.id, block.name, block) : undefined,
      };
      const ofServer = server.breachOf(part);
      if (ofServer === undefined) parts.push(part);
      else note(at, ...ofServer);
    }
    return { at, entry, parts, heldResults };
  });
  dropOpenServerCalls(slots, server, isOver, note);
  return slots;
}

/** A rule, and what was done about it. */
type Breach = [rule: string, what: string];

/** Whether only a message of the assistant may hold this. */
function isModels(block: AnthropicBlock): boolean {
  return block.type === 'tool_use' || isThinking(block) || isServerCall(block) || isServerResult(block);
}

/** What makes a block illegal by itself, or beside the calls of its own message. */
function breachOf(block: AnthropicBlock, role: string, here: ReadonlySet<string>): Breach | undefined {
  if (isBlankText(block)) return ['text-not-empty', 'removed a text without a visible character'];
  if (role !== 'assistant' && isModels(block)) {
    return ['block-by-model', `removed what only the model can say from a message of the ${role}: ${block.type}`];
  }
  if (isThinking(block) && sealOf(block) === undefined) {
    return ['thinking-signed', 'removed reasoning that was cut before it was signed'];
  }
  if (block.type !== 'tool_use') return undefined;
  if (!isCall(block)) return ['call-id', 'removed a call without an id or a name'];
  return here.has(block.id) ? ['call-id', `removed the second copy of a call: ${block.id}`] : undefined;
}

/** The calls of tools that run on the provider's side; their results stand in assistant messages too. */
interface ServerCalls {
  /** Without a result, but it may still come. */
  readonly open: ReadonlySet<Part>;
  /** Without a result, and another call has taken the id. */
  readonly lost: ReadonlySet<Part>;
  /** Reads one block; tells what is wrong with it if it is a result. */
  breachOf(part: Part): Breach | undefined;
}

function createServerCalls(): ServerCalls {
  const calls = new Map<unknown, Part>();
  const open = new Set<Part>();
  const lost = new Set<Part>();
  return {
    open,
    lost,
    breachOf(part) {
      const { block, site } = part;
      if (site !== undefined) return undefined;
      if (isServerCall(block)) {
        const before = calls.get(field(block, 'id'));
        if (before !== undefined && open.delete(before)) lost.add(before);
        calls.set(field(block, 'id'), part);
        open.add(part);
      } else if (isServerResult(block)) {
        const call = calls.get(field(block, 'tool_use_id'));
        if (call === undefined) {
          return ['server-call-answered', 'removed the result of a server tool whose call is not in the transcript'];
        }
        if (!open.delete(call)) return ['one-result-per-call', 'removed a second result of a server tool'];
      }
      return undefined;
    },
  };
}

/**
 * An unanswered server call stays only where the provider may still go on with it: in the reply at the very end, if that
 * is whole, or where the calls of that reply were made by it. Code that runs on there asks for one call after the other.
 */
function dropOpenServerCalls(slots: readonly Slot[], { open, lost }: ServerCalls, isOver: boolean, note: Note): void {
  if (open.size + lost.size === 0) return;
  const saying = slots.filter(({ parts }) => parts.length > 0).reverse();
  const makers = new Set<unknown>(saying[0]?.parts.flatMap(({ block }) => callerOf(block) ?? []));
  let goesOn = !isOver;
  for (const slot of saying) {
    const { message, cut } = slot.entry;
    goesOn &&= message.role === 'assistant' && cut === undefined;
    const mayGoOn = ({ block }: Part): boolean => goesOn && (slot === saying[0] || makers.has(field(block, 'id')));
    const kept = slot.parts.filter((part) => !lost.has(part) && (!open.has(part) || mayGoOn(part)));
    if (kept.length < slot.parts.length) {
      note(slot.at, 'server-call-answered', 'removed the call of a server tool that was cut before its result');
      slot.parts = kept;
    }
  }
}
