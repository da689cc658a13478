/**
 * The door `desist/remote-run`: work that has a name on another machine – A2A tasks, runs of LangGraph, sessions of
 * opencode, responses in the background – told once, waited for within the grace, then named.
 * Among the adapters because the clients stay the caller's: each is reached through functions.
 * Prior art: `tasks/cancel` of MCP, `CancelTask` of A2A.
 *
 * @module desist/remote-run
 */
export { awaitRun, type AwaitRunOptions, type RunContext, type RunOptions } from './await-run.ts';
export { cancelRun } from './cancel-run.ts';
export { followRun, type FollowRunOptions, type RemoteRun } from './follow-run.ts';
export type { RunEnd } from './run-end.ts';
export { turnExecutor, type TaskContextLike, type TurnExecutor, type TurnExecutorOptions } from './turn-executor.ts';
