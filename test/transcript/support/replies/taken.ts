/**
 * One reply in a conversation, whole or cut.
 *
 * @module
 */
import { InterruptController } from '../../../../src/index.ts';
import { Conversation, type TranscriptCall, type TranscriptDialect } from '../../../../src/transcript/index.ts';

/** A dialect of any messages. */
export type AnyDialect = TranscriptDialect<object, unknown>;

/** What became of a reply, whose calls are run, and of its conversation. */
export async function taken(dialect: AnyDialect, value: unknown, isCut: boolean) {
  const chat = new Conversation(dialect);
  const agent = new InterruptController();
  let calls: readonly TranscriptCall[] = [];
  const report = await chat.runTurn(agent, '-', async (turn) => {
    const reply = await turn.model(({ partial, signal }) => {
      if (!isCut) return value;
      partial(value);
      agent.cancel('user');
      signal.throwIfAborted();
      return undefined;
    });
    calls = reply.calls;
    await turn.tools(calls, () => 'done');
  });
  return { chat, report, calls };
}
