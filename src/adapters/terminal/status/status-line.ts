/**
 * The row below the output that says what the agent does, for how long, and how it is stopped; and the lines that a stop
 * leaves.
 *
 * Prior art: the status rows of coding agents; `ora`; `log-update`.
 *
 * @module
 */
import {
  type Clock,
  isObject,
  type OptionNames,
  printable,
  type Releasable,
  requireFunction,
  requireOptions,
  show,
  type StopReport,
} from '../../../core/inside.ts';
import { statusText, stopText } from '../../internal/status/status-text.ts';
import {
  WorkStatus,
  type Progress,
  type ProgressOptions,
  type StatusSource,
} from '../../internal/status/work-status.ts';
import { fitText, textWidth } from '../output/glyph-width.ts';
import type { OutputGate } from '../output/output-gate.ts';

/**
 * Options of {@link openStatusLine}.
 *
 * @since 0.1.0
 */
export interface StatusLineOptions {
  /** How the agent is stopped, as the row says it; `''`: it does not. Default `esc to interrupt`. */
  readonly hint?: string | undefined;
  /** Written when a stop is asked for; `''`: nothing. Default `Cancelled.` */
  readonly cancelledLine?: string | undefined;
  /** Makes the line that a stopped turn leaves when it has ended; `false`: none. Default: how long it took, and what still runs. */
  readonly receipt?: ((report: StopReport) => string) | false | undefined;
  /** Measures the time. Default the system's. */
  readonly clock?: Clock | undefined;
}

/**
 * An open status line.
 *
 * @cleanup `release()` takes the row away and listens to nothing any more.
 * @since 0.1.0
 */
export interface StatusLine extends Releasable {
  /** What the row says, not cut to a width; `''` while there is none. */
  readonly text: string;
  /**
   * Shows how far something is that the person waits for, also outside a turn.
   *
   * @param label What it is.
   * @param options Of how much, and the token whose cancel takes it away.
   * @returns Counts on, or takes it away.
   * @throws TypeError – a label that is no string, an amount that is no number. RangeError – an amount below 0 or infinite.
   */
  progress(label: string, options?: ProgressOptions): Progress;
}

const optionNames: OptionNames<StatusLineOptions> = { hint: 1, cancelledLine: 1, receipt: 1, clock: 1 };

function requireText(name: string, value: unknown): void {
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string, got ${show(value)}`);
}

/** How it is stopped is the last that is cut: what comes before makes room for it. */
function fitStatus(text: string, hint: string, columns: number): string {
  const end = ` · ${printable(hint)}`;
  if (hint === '' || !text.endsWith(end)) return fitText(text, columns);
  const room = columns - textWidth(end);
  if (room < 2) return fitText(printable(hint), columns);
  return fitText(text.slice(0, -end.length), room) + end;
}

/**
 * Keeps a row below the output while the agent works: what it does, for how long, how far it is, and how it is stopped.
 *
 * A stop is acknowledged on the screen before any work hears of it, and when the turn has ended a line says what came of
 * it. Without a terminal nothing is written. The row is cut to the width of the screen, how it is stopped last of all.
 *
 * @cleanup `release()`; an open status line does not keep the process alive.
 * @param output The screen, which the agent's output must go through.
 * @param agent Whose work is shown; sub-agents are not.
 * @param options Its words, and the clock.
 * @returns The open status line.
 * @throws TypeError – no gate, no controller, an option that is not known or of the wrong type.
 * @example What the row says
 * ```ts
 * import { InterruptController } from 'desist'
 * import { createOutputGate, openStatusLine } from 'desist/terminal'
 * import { PassThrough } from 'node:stream'
 *
 * const agent = new InterruptController({ name: 'Ada' })
 * const status = openStatusLine(createOutputGate(new PassThrough()), agent) // leave the stream out in a program
 * const report = await agent.runTurn(() => status.text)
 * report.unwrap() // => 'Ada is working · 0 s · esc to interrupt'
 * status.release()
 * ```
 * @source the status rows of coding agents
 * @since 0.1.0
 */
export function openStatusLine(output: OutputGate, agent: StatusSource, options: StatusLineOptions = {}): StatusLine {
  if (!isObject(output)) throw new TypeError(`output must be an output gate, got ${show(output)}`);
  requireFunction('output.openFooter', Reflect.get(output, 'openFooter'));
  requireOptions(options, optionNames);
  const { hint = 'esc to interrupt', cancelledLine = 'Cancelled.', receipt = stopText, clock } = options;
  requireText('hint', hint);
  requireText('cancelledLine', cancelledLine);
  if (receipt !== false) requireFunction('receipt', receipt);

  function say(line: string): void {
    if (!output.degraded && line !== '') output.writeLine(line);
  }
  let shown = '';
  let redraw = (): void => undefined;
  const status = new WorkStatus(
    agent,
    {
      changed: (view) => {
        const text = view === undefined ? '' : statusText(view, hint);
        if (text === shown) return;
        shown = text;
        redraw();
      },
      cancelled: () => {
        say(cancelledLine);
      },
      stopped: (report) => {
        if (receipt !== false) say(receipt(report));
      },
    },
    clock,
  );
  const footer = output.openFooter(({ columns }) => ({
    rows: shown === '' ? [] : [fitStatus(shown, hint, columns - 1)],
  }));
  redraw = () => {
    footer.update();
  };

  return {
    get text() {
      return shown;
    },
    progress: (label, progress) => status.progress(label, progress),
    release: () => {
      status.release();
      shown = '';
      footer.release();
    },
  };
}
