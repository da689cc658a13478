/**
 * `InterruptController` as a value.
 * In the interrupt room at the very top: what the front door shows of it.
 *
 * @module
 */
import { Controller } from './controller.ts';
import type { InterruptController as ControllerHandle } from './handles.ts';
import type { InterruptControllerOptions } from './turn-report.ts';

/** What `new InterruptController()` can be called with. */
export interface InterruptControllerConstructor {
  new (options?: InterruptControllerOptions): ControllerHandle;
  readonly prototype: ControllerHandle;
}

/**
 * One agent's controller.
 *
 * @since 0.1.0
 */
export type InterruptController = ControllerHandle;
/**
 * One agent that can be told to stop, or told something new, while it works.
 *
 * @example Stop a turn and see that nothing started afterwards
 * ```ts
 * import { InterruptController } from 'desist'
 *
 * const agent = new InterruptController({ name: 'main' })
 * const turn = agent.runTurn(async ({ model, tools }) => {
 *   await model(async () => 'call the tool')
 *   agent.cancel()
 *   return tools([{ id: 'c1', name: 'write_file' }], () => 'never runs')
 * })
 * const report = await turn
 * report.status // => 'cancelled'
 * report.calls[0]?.status // => 'not-started'
 * agent.wasInterrupted // => true
 * ```
 * @throws TypeError, RangeError – an option that makes no sense.
 * @cleanup `close()`, or `await using`.
 * @source hand-made interrupt managers of coding agents; ACP's `session/cancel`
 * @since 0.1.0
 */
export const InterruptController: InterruptControllerConstructor = Controller;
