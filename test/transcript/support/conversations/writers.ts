/**
 * One writer for each dialect: a conversation as its messages, and what a judge sees of messages.
 *
 * @module
 */
import { agents, responses } from './item-writers.ts';
import { chain, chat, claude, local } from './message-writers.ts';
import { chats, google, sdk } from './part-writers.ts';
import type { Writer } from './writer.ts';

/** Every form that a conversation can have. */
export const writers: readonly Writer[] = [claude, chat, responses, google, sdk, chats, chain, agents, local];
