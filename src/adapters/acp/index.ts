/**
 * The door `desist/acp`: prompts of the Agent Client Protocol that a stop really ends, on both sides.
 * Among the adapters because the SDK stays the caller's: its handlers call in here, and its peers are reached by shape.
 * Prior art: `@agentclientprotocol/sdk`.
 *
 * @module desist/acp
 */
export { acpClient, type AcpClient, type AcpClientOptions, type AcpPromptResult } from './acp-client.ts';
export { acpSessions, type AcpPromptResponse, type AcpSessions, type AcpSessionsOptions } from './agent-sessions.ts';
export type { AcpTurn } from './agent-turn.ts';
export type { Survivors } from '../internal/process/stoppable-process.ts';
