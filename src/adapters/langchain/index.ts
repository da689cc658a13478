/**
 * The door `desist/langchain`: runnables, models and graphs of LangChain under a turn.
 * Among the adapters because it knows the SDK's manners; the SDK itself is never loaded, everything is typed by structure.
 * Prior art: LangChain's `Runnable`, LangGraph's nodes.
 *
 * @module desist/langchain
 */
export { InterjectedError } from '../internal/framework/interjected-error.ts';
export { guardNode, guardRunnable, type GuardRunnableOptions } from './guard-runnable.ts';
export type { LangChainRunnable } from './runnable.ts';
export { settleThread } from './settle-thread.ts';
export { turnModel, type TurnModelOptions } from './turn-model.ts';
