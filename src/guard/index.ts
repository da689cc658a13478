/**
 * `desist/guard`: tools of any framework put under a turn.
 *
 * @module desist/guard
 */
export { guardTool, guardTools } from './guard-tools.ts';
export type { GuardOptions } from './guarded-call.ts';
export { toolContextOf } from './tool-context-of.ts';
