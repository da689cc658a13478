/** What the person types while the agent works: a line is a message to it, `/skip` stops only its sub-agent. */
import type { TerminalWatcher } from 'desist/terminal';
import type { ScreenDisplay } from './display.ts';
import type { Session } from './session.ts';

/** Stops the sub-agent that works, and nothing else. */
export const SKIP = '/skip';
export const NOBODY_TO_SKIP = 'No sub-agent works.';

/** Below every other handler, and above what keeps the line for the next prompt. */
const LAST = -100;

/** Takes each line that is finished while a turn runs. */
export function takeTypedLines(terminal: TerminalWatcher, session: Session, screen: ScreenDisplay): void {
  const { agent } = session;
  terminal.handle(
    (event) => {
      if (event.type !== 'key' || event.name !== 'enter') return false;
      if (agent.state !== 'running' && agent.state !== 'interjecting') return false;
      const line = terminal.takeTypeAhead().trim();
      if (line === SKIP) {
        screen.line(session.skip() === undefined ? NOBODY_TO_SKIP : SKIP);
      } else if (line !== '') {
        session.tell(line, { delivery: 'now' });
        screen.line(`> ${line}`);
      }
      return true;
    },
    { priority: LAST },
  );
}
