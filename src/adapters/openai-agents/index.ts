/**
 * The door `desist/openai-agents`: a loop that OpenAI Agents owns, under a turn.
 * Among the adapters because it knows the SDK's manners; the SDK itself is never loaded, everything is typed by structure.
 * Prior art: the SDK's models, providers and agents, whose shapes these are.
 *
 * @module desist/openai-agents
 */
export { readRun } from './read-run.ts';
export { settleSession } from './settle-session.ts';
export { turnModel, turnProvider, type AgentsModel, type TurnModelOptions } from './turn-model.ts';
export { underTurn, type AgentsAgent, type UnderTurnOptions } from './under-turn.ts';
