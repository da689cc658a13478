/** A small agent: it reads files one after the other, thinks about each, and says at every step what it is doing. */
import { delay } from 'desist';
import type { Session } from 'desist/sessions';

const files = ['orders.log', 'users.log', 'errors.log', 'audit.log'];

/** Works until it has read everything, or is stopped. Returns how that ended, in words for a page. */
export async function work(
  session: Session,
  stepMs: number,
  tell: (doing: string) => Promise<unknown>,
): Promise<string> {
  const report = await session.controller.runTurn(async (turn) => {
    for (const [index, path] of files.entries()) {
      await tell(`reading ${path}`);
      await turn.tool({ id: `call-${index}`, name: 'read', input: { path } }, (_, { token }) => delay(token, stepMs));
      await tell(`thinking about ${path}`);
      await turn.model(({ token }) => delay(token, stepMs));
    }
  });
  return report.status === 'cancelled' ? `stopped while ${report.stop?.operations[0]?.name ?? 'idle'}` : report.status;
}
