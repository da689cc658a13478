/**
 * The door `desist/transcript`: what a conversation looks like after an interruption, so that it can go on.
 *
 * @module desist/transcript
 */
export { Conversation } from './conversation/conversation.ts';
export type { ConversationOptions } from './conversation/conversation-options.ts';
export type { ConversationContext, ConversationReply, ConversationTurn } from './conversation/model-call.ts';
export { messageWriter } from './message-writer.ts';
export type { MessageWriter } from './message-writer.ts';
export { mapDialect } from './conversation/map-dialect.ts';
export type { MessageMap } from './conversation/map-dialect.ts';
export { repair } from './repair.ts';
export type { RepairedTranscript, RepairOptions } from './repair.ts';
export { heldByServer } from './items/held/held-by-server.ts';
export { checkTranscript } from './check-transcript.ts';
export type { CheckTranscriptOptions } from './check-transcript.ts';
export type { TranscriptViolation } from './dialect.ts';
export { wordingTable } from './words/wording.ts';
export type { Wording } from './words/wording.ts';
export type { Render } from './words/values.ts';
export type { MessageFormat, TranscriptCall, TranscriptDialect } from './dialect.ts';
export { dialectNamed } from './dialects/table.ts';
export type { DialectName, TranscriptDialects } from './dialects/table.ts';
