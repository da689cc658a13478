/**
 * Finds the context of a running tool by its signal: a framework hands a tool a signal, and has no place for more.
 * Prior art: `guardTool`, which finds the turn in the same way.
 *
 * @module
 */
import type { TokenLike } from '../core/token/cancellation-token.ts';
import { tokenOf } from '../core/token/bridge/linked-tokens.ts';
import type { ToolContext } from '../core/interrupt/public-types/tool-context.ts';
import { contextOf } from '../core/interrupt/turn/turn-of-token.ts';

/**
 * What a running tool may do besides work: `ask` a person, `wait` so that a message can end the wait, `commit`,
 * `decline`, start a sub-agent on its call. For tools that a framework calls, under `guardTool`: what `turn.tool` hands
 * to its function, found by the signal that the framework hands to the tool.
 *
 * A token below the call's own, or linked to it, finds it too; a signal of `AbortSignal.any` does not. Within a
 * sub-agent's turn it finds the sub-agent's call, and nothing outside of one.
 *
 * @checkpoint never
 * @param signal The signal, or token, that the tool was given.
 * @returns The context; nothing if that signal belongs to no call of a turn, for example outside of one.
 * @throws TypeError – not a token or signal.
 * @example
 * ```ts
 * import { InterruptController } from 'desist'
 * import { guardTool, toolContextOf } from 'desist/guard'
 *
 * const deploy = guardTool({
 *   name: 'deploy',
 *   execute: async (target: string, { abortSignal }: { abortSignal: AbortSignal }) => {
 *     const isAllowed = await toolContextOf(abortSignal)?.ask<boolean>((respond) => void respond(true))
 *     return isAllowed === true ? `deployed to ${target}` : 'not deployed'
 *   },
 * })
 * const report = await new InterruptController().runTurn(({ signal }) =>
 *   deploy.execute('staging', { abortSignal: signal }),
 * )
 * report.unwrap() // => 'deployed to staging'
 * ```
 * @since 0.1.0
 */
export function toolContextOf(signal: TokenLike | null | undefined): ToolContext | undefined {
  return contextOf(tokenOf(signal));
}
