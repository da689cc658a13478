/**
 * Reads an Anthropic transcript into slots: what may stay in each message, and which result belongs to which call.
 * The first half of settling; everything illegal in itself, without its neighbours, ends here.
 *
 * @module
 */
import { field } from '../../reading/fields.ts';
import { createLinks, type Site } from '../../reading/links.ts';
import type { Entry } from '../../reading/settle-entries.ts';
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
export function readSlots(entries: readonly Entry<AnthropicMessage>[], isOver: boolean): readonly Slot[] {
  const links = createLinks<AnthropicBlock>();
  const server = createServerCalls();
  const slots = entries.map((entry, at): Slot => {
    let here = none;
    const parts: Part[] = [];
    let heldResults = false;
    for (const block of blocksOf(entry.message.content)) {
      if (block.type === 'tool_result') {
        heldResults = true;
        links.close(at, field(block, 'tool_use_id'), block);
        continue;
      }
      if (!maySay(block, entry.message.role, here)) continue;
      const isOurs = entry.message.role === 'assistant' && isCall(block);
      if (isOurs) here = here === none ? new Set([block.id]) : here.add(block.id);
      const part: Part = {
        block,
        site: isOurs ? links.open(at, block.id, block.name, block) : undefined,
      };
      if (server.takes(part)) parts.push(part);
    }
    return { at, entry, parts, heldResults };
  });
  dropOpenServerCalls(slots, server, isOver);
  return slots;
}

/** Whether only a message of the assistant may hold this. */
function isModels(block: AnthropicBlock): boolean {
  return block.type === 'tool_use' || isThinking(block) || isServerCall(block) || isServerResult(block);
}

/** Whether a block is legal by itself, and beside the calls of its own message. */
function maySay(block: AnthropicBlock, role: string, here: ReadonlySet<string>): boolean {
  if (isBlankText(block) || (role !== 'assistant' && isModels(block))) return false;
  if (isThinking(block)) return sealOf(block) !== undefined;
  return block.type !== 'tool_use' || (isCall(block) && !here.has(block.id));
}

/** The calls of tools that run on the provider's side; their results stand in assistant messages too. */
interface ServerCalls {
  /** Without a result, but it may still come. */
  readonly open: ReadonlySet<Part>;
  /** Without a result, and another call has taken the id. */
  readonly lost: ReadonlySet<Part>;
  /** Reads one block; tells whether it may stay: not a result that no call waits for. */
  takes(part: Part): boolean;
}

function createServerCalls(): ServerCalls {
  const calls = new Map<unknown, Part>();
  const open = new Set<Part>();
  const lost = new Set<Part>();
  return {
    open,
    lost,
    takes(part) {
      const { block } = part;
      if (isServerResult(block)) {
        const call = calls.get(field(block, 'tool_use_id'));
        return call !== undefined && open.delete(call);
      }
      if (isServerCall(block)) {
        const before = calls.get(field(block, 'id'));
        if (before !== undefined && open.delete(before)) lost.add(before);
        calls.set(field(block, 'id'), part);
        open.add(part);
      }
      return true;
    },
  };
}

/**
 * An unanswered server call stays only where the provider may still go on with it: in the reply at the very end, if that
 * is whole, or where the calls of that reply were made by it. Code that runs on there asks for one call after the other.
 */
function dropOpenServerCalls(slots: readonly Slot[], { open, lost }: ServerCalls, isOver: boolean): void {
  if (open.size + lost.size === 0) return;
  const saying = slots.filter(({ parts }) => parts.length > 0).reverse();
  const makers = new Set<unknown>(saying[0]?.parts.flatMap(({ block }) => callerOf(block) ?? []));
  let goesOn = !isOver;
  for (const slot of saying) {
    const { message, cut } = slot.entry;
    goesOn &&= message.role === 'assistant' && cut === undefined;
    const mayGoOn = ({ block }: Part): boolean => goesOn && (slot === saying[0] || makers.has(field(block, 'id')));
    slot.parts = slot.parts.filter((part) => !lost.has(part) && (!open.has(part) || mayGoOn(part)));
  }
}
