/**
 * One line read from a person, in rows of its own below whatever the screen shows.
 *
 * @module
 */
import type { KeyEvent } from '../../internal/keyboard/decoder/key-decoder.ts';
import type { OutputGate } from '../output/output-gate.ts';
import { lineRows } from './line-rows.ts';
import { editLine, emptyLine } from './line-state.ts';

/**
 * What a line is read with.
 *
 * @since 0.1.0
 */
export interface ReadLineContext {
  /** Shown before the line. */
  readonly prompt: string;
  /** The screen; its output is held meanwhile. */
  readonly output: OutputGate;
  /** Calls `fn` with every key and paste, until it returns `true`: that key was the last one of the line. */
  readonly onKey: (fn: (event: KeyEvent) => unknown) => void;
  /** Hands back what was typed, where the person has closed the line: it is not sent, and not lost. */
  readonly giveBack: (text: string) => void;
}

/**
 * Reads one line: its text, or nothing if the person closed it. Bring your own where you want another editor.
 *
 * @since 0.1.0
 */
export type ReadLine = (context: ReadLineContext) => Promise<string | undefined>;

/** The editor that is there. */
export const readLine: ReadLine = ({ prompt, output, onKey, giveBack }) =>
  new Promise((resolve) => {
    let line = emptyLine;
    const footer = output.openFooter((size) => lineRows(prompt, line, size));
    onKey((event) => {
      const step = editLine(line, event);
      line = step.line;
      if (step.end === undefined) {
        footer.update();
        return false;
      }
      footer.release();
      if (step.end === 'close') giveBack(line.text);
      resolve(step.end === 'submit' ? line.text : undefined);
      return true;
    });
  });
