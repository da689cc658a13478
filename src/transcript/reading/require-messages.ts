/**
 * Refuses what is not a transcript, by naming the message and the block.
 * In a file of its own because settling and checking refuse the same input in the same words and share nothing else.
 *
 * @module
 */
import { show } from '../../core/foundation/check.ts';
import { readable } from '../words/values.ts';

/** Refuses what is not one message of a dialect; `name` is its place, for the error. */
export type RequireMessage = (name: string, message: unknown) => void;

/**
 * Refuses anything but a list of messages.
 *
 * @param requireOne What a message has to be; a role and content, if a dialect says nothing else.
 * @throws TypeError – anything else.
 */
export function requireMessages(messages: unknown, requireOne: RequireMessage = requireRoleAndContent): void {
  const list = readable(messages);
  if (!Array.isArray(list)) throw new TypeError(`messages must be an array, got ${show(list)}`);
  // Holes too: `forEach` would pass over them.
  for (let at = 0; at < list.length; at += 1) {
    const name = `messages[${String(at)}]`;
    try {
      requireOne(name, list[at]);
    } catch (error) {
      if (error instanceof TypeError && error.message.startsWith(name)) throw error;
      // A getter or a proxy of its own threw.
      throw new TypeError(`${name} could not be read`, { cause: error });
    }
  }
}

/** An object with a role, whose content, where it is a list, is a list of objects with a type. */
export function requireRoleAndContent(name: string, message: unknown): void {
  if (!isObject(message)) throw new TypeError(`${name} must be an object, got ${show(message)}`);
  const { role, content } = message;
  if (typeof role !== 'string') throw new TypeError(`${name}.role must be a string, got ${show(role)}`);
  requireBlocks(`${name}.content`, content);
}

/** Where it is a list, a list of objects with a type. */
export function requireBlocks(name: string, list: unknown): void {
  if (!Array.isArray(list)) return;
  for (let i = 0; i < list.length; i += 1) requireBlock(`${name}[${String(i)}]`, list[i]);
}

function requireBlock(name: string, block: unknown): void {
  if (!isObject(block)) throw new TypeError(`${name} must be an object, got ${show(block)}`);
  const { type } = block;
  if (typeof type !== 'string') throw new TypeError(`${name}.type must be a string, got ${show(type)}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
