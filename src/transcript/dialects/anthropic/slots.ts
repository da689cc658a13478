/**
 * Reads an Anthropic transcript into slots: what may stay in each message, and which result belongs to which call.
 * The first half of settling; everything illegal in itself, without its neighbours, ends here.
 *
 * @module
 */
import { field } from '../../reading/fields.ts';
import { createLinks, type Site } from '../../reading/links.ts';
import type { Entry } from '../../reading/settle-entries.ts';
import type { SettleOptions } from '../rules.ts';
import {
  blocksOf,
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

/** Takes a transcript apart, front to back, once; `begun` is what tools on the provider's side were called before it. */
export function readSlots(
  entries: readonly Entry<AnthropicMessage>[],
  begun?: SettleOptions['begun'],
): readonly Slot[] {
  const links = createLinks<AnthropicBlock>();
  /** The calls of tools on the provider's side, and whether each waits for its result. */
  const server = new Map<unknown, boolean>();
  return entries.map((entry, at): Slot => {
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
      if (isServerCall(block)) server.set(field(block, 'id'), true);
      if (isServerResult(block)) {
        const of = field(block, 'tool_use_id');
        if (!(server.get(of) ?? begun?.has(of) === true)) continue;
        server.set(of, false);
      }
      parts.push(part);
    }
    return { at, entry, parts, heldResults };
  });
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
