/**
 * The door `desist/claude-agent`: the Claude Agent SDK, whose loop runs in a process of its own, under turns.
 * Among the adapters because it knows the SDK's manners; the SDK itself is never loaded, everything is typed by structure.
 * Prior art: the SDK's own `query`.
 *
 * @module desist/claude-agent
 */
export {
  openSession,
  type AgentQuery,
  type ClaudeSession,
  type ResultOf,
  type SessionOptions,
} from './open-session.ts';
