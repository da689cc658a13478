/**
 * Plays random turns in one conversation, and judges it after every event.
 *
 * @module
 */
import { InterruptController, delay } from '../../../../src/index.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import type { TranscriptDialect } from '../../../../src/transcript/dialect.ts';
import { Conversation } from '../../../../src/transcript/index.ts';
import type { RandomTurn } from './random-turns.ts';
import { tellingOf } from './telling.ts';
import type { SaidReply, Wire } from './wires.ts';

type Fields = Readonly<Record<string, unknown>>;
type AnyDialect = TranscriptDialect<never, unknown>;

/** What went wrong. */
export interface Findings {
  readonly refused: string[];
  readonly lost: string[];
  readonly doubled: string[];
  readonly events: number;
}

/** Says how often a mark stands in messages. */
function countsIn(messages: readonly unknown[]): (mark: string) => number {
  const text = JSON.stringify(messages);
  return (mark) => text.split(mark).length - 1;
}

/** What else belongs to a play. */
export interface PlayOptions {
  /** A fault that is planted: what the judge is shown in the place of the messages. */
  readonly spoil?: ((messages: Fields[]) => Fields[]) | undefined;
  /** What else happens at every event of a turn. */
  readonly also?: ((chat: Conversation<Fields>) => void) | undefined;
  /** Where the conversation may move to. */
  readonly others?: readonly { readonly dialect: AnyDialect; readonly wire: Wire }[] | undefined;
}

/**
 * Plays turns in one conversation, and judges it after every event.
 *
 * A process that dies leaves what was stored last; another one goes on with it. A move is to the next of the others.
 */
export async function play(
  dialect: AnyDialect,
  wire: Wire,
  turns: readonly RandomTurn[],
  { spoil = (messages) => messages, also = () => undefined, others = [] }: PlayOptions = {},
): Promise<Findings> {
  let now = { dialect, wire };
  const jsonOf = (messages: readonly Fields[]): Fields[] => spoil(JSON.parse(JSON.stringify(messages)) as Fields[]);
  const clock = new VirtualClock({ startAt: 1_000 });
  const agent = new InterruptController({ clock, name: 'main', graceMs: 10 });
  const findings = { refused: [] as string[], lost: [] as string[], doubled: [] as string[], events: 0 };
  let chat = new Conversation<Fields>(dialect as never);
  let serial = 0;
  /** What has to stand in the conversation once. */
  let expected = new Map<string, string>();
  const judge = (): void => {
    const { messages } = chat;
    findings.events += 1;
    const refusal = messages.length === 0 ? undefined : now.wire.refuse(jsonOf(messages));
    if (refusal !== undefined) findings.refused.push(refusal);
  };

  const stand = (): void => {
    const count = countsIn(jsonOf(chat.messages));
    for (const [mark, kind] of expected) {
      const times = count(mark);
      if (times === 0) findings.lost.push(`${kind} ${mark}`);
      if (times > 1) findings.doubled.push(`${kind} ${mark} stands ${String(times)} times`);
    }
  };
  /** The calls that had begun when the process died, and of which the next model is told that they did not. */
  const denied = (begun: ReadonlySet<string>, heard: ReadonlySet<string>): string[] => {
    const told = tellingOf(now.wire.name).read(jsonOf(chat.messages));
    const answers = new Map(
      told.flatMap((one) => (one.who === 'tools' ? one.results.map(({ id, text }) => [id, text]) : [])),
    );
    return told.flatMap((one) => {
      if (one.who !== 'model') return [];
      const own = one.calls.filter(({ mark }) => begun.has(mark) && !heard.has(mark.replace('call', 'result')));
      return own.filter(({ id }) => /nothing happened/.test(answers.get(id) ?? '')).map(({ mark }) => mark);
    });
  };

  for (const { rounds, happenings, between } of turns) {
    const before = expected;
    const mine = new Map(expected);
    expected = mine;
    let events = 0;
    /** What another process finds, and what has to stand in that. */
    let left: { readonly messages: Fields[]; readonly expected: Map<string, string> } | undefined;
    /** The tools that have begun, and what the conversation was told that they gave. */
    const begun = new Set<string>();
    const heard = new Set<string>();
    const hearing = agent.onEvent((event) => {
      if (event.type !== 'tool-outcome') return;
      const { outcome } = event;
      if (outcome.status === 'completed') heard.add(String(outcome.value));
      if (outcome.status === 'failed') heard.add((outcome.error as Error).message);
    });
    const die = (): void => {
      const known = [...mine].filter(([mark, kind]) => (kind !== 'result' && kind !== 'failure') || heard.has(mark));
      left = { messages: jsonOf(chat.messages), expected: new Map(known) };
      agent.kill('user');
    };
    const happen = (): void => {
      if (left !== undefined) return;
      const at = events++;
      also(chat);
      judge();
      for (const { what } of happenings.filter((one) => one.at === at)) {
        if (what === 'cancel') agent.cancel('user');
        else if (what === 'kill') agent.kill('user');
        else if (what === 'dies') die();
        else {
          const mark = `«news ${String(++serial)}»`;
          const sent = agent.interject(mark, { delivery: what });
          void sent.settled.then((end) => {
            if (end === 'delivered') mine.set(mark, 'message');
          });
        }
        if (what === 'dies') return;
        judge();
      }
    };
    const prompt = `«prompt ${String(++serial)}»`;
    mine.set(prompt, 'prompt');
    const turn = chat.runTurn(agent, prompt, async (own) => {
      for (const { words, thought, calls, ids, mode, client, aside } of rounds) {
        let attempt = 0;
        const said: SaidReply = {
          words: words || calls.length === 0 ? `«words ${String(++serial)}»` : '',
          thought: thought ? `«thought ${String(++serial)}»` : '',
          calls: calls.map((_how, at) => ({
            id: ids === 'own' ? `c${String(++serial)}` : ids === 'shared' ? 'call_0' : '',
            name: at === 1 ? 'deploy' : 'pay',
            mark: `«call ${String(++serial)}»`,
          })),
        };
        if (aside) await own.model(() => '«aside»', { aside: true });
        const ask = () =>
          own.model(
            async ({ messages, partial, signal }) => {
              const refusal = now.wire.refuse(jsonOf(messages));
              if (refusal !== undefined) findings.refused.push(`asked: ${refusal}`);
              happen();
              if (said.words !== '') {
                partial(now.wire.fold({ ...said, words: said.words.slice(0, 4), thought: '', calls: [] }));
              }
              await delay(signal, 1);
              if (attempt++ === 0 && client === 'fails first') throw new Error('dropped');
              if (attempt === 1 && client === 'times out first') await delay(signal, 1000);
              happen();
              partial(now.wire.fold(said));
              await delay(signal, 1);
              happen();
              return now.wire.whole(said);
            },
            { idleMs: 5, recover: { attempts: 1 } },
          );
        const reply = await ask().catch((error: unknown) => {
          if (own.token.isCancelled || client !== 'fails first') throw error;
          return ask();
        });
        happen();
        if (reply.status === 'completed') {
          if (said.words !== '') mine.set(said.words, 'words');
          if (said.thought !== '' && now.wire.name === 'anthropic') mine.set(`"${said.thought}"`, 'thought');
          for (const { mark } of said.calls) mine.set(mark, 'call');
        }
        const how = new Map(said.calls.map(({ mark }, at) => [mark, calls[at]]));
        await own.tools(
          reply.calls,
          async ({ input }, { token }) => {
            const { mark } = input as { readonly mark: string };
            const result = mark.replace('call', 'result');
            begun.add(mark);
            happen();
            const kind = how.get(mark);
            if (kind === 'fails') {
              mine.set(result, 'failure');
              throw new Error(result);
            }
            if (kind === 'obeys') await delay(token, 2);
            if (kind === 'deaf') await new Promise<void>((resolve) => clock.setTimer(resolve, 50, { ref: false }));
            else happen();
            mine.set(result, 'result');
            return result;
          },
          { mode },
        );
        happen();
        if (own.token.isCancelled) return;
      }
    });
    const ended = { isOver: false };
    void turn.finally(() => {
      ended.isOver = true;
    });
    for (let waited = 0; waited < 400 && !ended.isOver; waited += 1) await clock.advance(5);
    const report = await turn;
    hearing.unregister();
    // What is deaf ends at last.
    await clock.advance(60);
    if (left !== undefined) {
      agent.takeLateOutcomes();
      ({ expected } = left);
      chat = new Conversation<Fields>(now.dialect as never, { messages: left.messages });
      judge();
      stand();
      for (const lie of denied(begun, heard)) findings.lost.push(`that it may have run: ${lie}`);
      continue;
    }
    judge();
    const late = agent.takeLateOutcomes();
    chat.late(late);
    judge();
    chat.late(late);
    const count = countsIn(chat.messages);
    for (const mark of report.undelivered.map(({ message }) => String(message))) {
      if (count(mark) !== 0) findings.doubled.push(`undelivered ${mark}`);
    }
    if (report.status === 'failed') throw report.error as Error;
    if (between === 'drop') {
      const back = chat.drop(report);
      judge();
      if (countsIn(back)(prompt) !== 1) findings.lost.push(`given back: ${prompt}`);
      expected = before;
      for (const { name, value } of late) if (typeof value === 'string') expected.set(value, `late ${name}`);
    } else if (between === 'mark') chat.mark();
    else if (between === 'fork') chat = chat.fork();
    else if (between === 'store')
      chat = new Conversation<Fields>(now.dialect as never, {
        messages: JSON.parse(JSON.stringify(chat.messages)) as Fields[],
      });
    else if (between === 'compact') {
      const summary = `«summary ${String(++serial)}»`;
      chat.compact([summary]);
      expected = new Map([[summary, 'summary']]);
    } else if (between === 'moves' && others.length > 0) {
      const next = others[serial % others.length] ?? now;
      const told = tellingOf(now.wire.name).read(jsonOf(chat.messages));
      now = next;
      chat = new Conversation<Fields>(next.dialect as never, { messages: tellingOf(next.wire.name).write(told) });
      // A thought is sealed for one provider.
      for (const [mark, kind] of expected) if (kind === 'thought') expected.delete(mark);
    }
    judge();
    stand();
    if (countsIn(chat.messages)('«aside»') > 0) findings.doubled.push('an aside was told');
  }
  await agent.close();
  return findings;
}
