/**
 * How long to wait before an ESC is a key, from what the environment says about the way to the terminal.
 *
 * Prior art: ncurses `ESCDELAY`.
 *
 * @module
 */

/** Whether the terminal is at the other end of a network. */
export function isRemote(env: Readonly<Record<string, string | undefined>>): boolean {
  return (env['SSH_CONNECTION'] ?? env['SSH_TTY'] ?? env['SSH_CLIENT']) !== undefined;
}

/** `ESCDELAY` if it is a number of milliseconds, else 100 over SSH – networks cut sequences in two – else 50. */
export function defaultEscTimeoutMs(env: Readonly<Record<string, string | undefined>>): number {
  const asked = env['ESCDELAY'];
  if (asked !== undefined && /^\d{1,5}$/.test(asked)) return Number(asked);
  return isRemote(env) ? 100 : 50;
}
