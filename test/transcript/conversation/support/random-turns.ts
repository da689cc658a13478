/**
 * Random turns of a conversation: replies with words, thoughts and calls, messages of a person with every delivery, tools
 * that answer, fail, are deaf or late, a client that fails, limits, a stop or a message at any event.
 *
 * @module
 */
import fc from 'fast-check';

import { InterruptController, delay, type Delivery } from '../../../../src/index.ts';
import { VirtualClock } from '../../../../src/testing/virtual-clock.ts';
import type { TranscriptDialect } from '../../../../src/transcript/dialect.ts';
import { Conversation } from '../../../../src/transcript/index.ts';
import type { SaidReply, Wire } from './wires.ts';

type Fields = Readonly<Record<string, unknown>>;
type AnyDialect = TranscriptDialect<never, unknown, unknown, unknown>;

/** One model call with its batch. */
interface Round {
  readonly words: boolean;
  readonly thought: boolean;
  readonly calls: readonly ('answers' | 'fails' | 'deaf' | 'obeys')[];
  readonly ids: 'own' | 'shared' | 'empty';
  readonly mode: 'parallel' | 'sequential';
  readonly client: 'answers' | 'fails first' | 'times out first';
  readonly aside: boolean;
}

/** What happens at one event of the turn. */
interface Happening {
  readonly at: number;
  readonly what: 'cancel' | 'kill' | Delivery;
}

/** One turn. */
export interface RandomTurn {
  readonly rounds: readonly Round[];
  readonly happenings: readonly Happening[];
  readonly between: 'nothing' | 'drop' | 'compact' | 'mark' | 'fork' | 'store';
}

const round: fc.Arbitrary<Round> = fc.record({
  words: fc.boolean(),
  thought: fc.boolean(),
  calls: fc.array(fc.constantFrom('answers', 'answers', 'fails', 'deaf', 'obeys'), { maxLength: 3 }),
  ids: fc.constantFrom('own', 'own', 'shared', 'empty'),
  mode: fc.constantFrom('parallel', 'sequential'),
  client: fc.constantFrom('answers', 'answers', 'fails first', 'times out first'),
  aside: fc.boolean(),
});

/** Several turns of one conversation. */
export const randomTurns: fc.Arbitrary<readonly RandomTurn[]> = fc.array(
  fc.record({
    rounds: fc.array(round, { minLength: 1, maxLength: 3 }),
    happenings: fc.array(
      fc.record({
        at: fc.nat({ max: 24 }),
        what: fc.constantFrom<Happening['what'][]>(
          ...([
            'cancel',
            'kill',
            'now',
            'now',
            'next-model-call',
            'after-current-tool',
            'after-turn',
          ] as Happening['what'][]),
        ),
      }),
      { maxLength: 2 },
    ),
    between: fc.constantFrom('nothing', 'nothing', 'drop', 'compact', 'mark', 'fork', 'store'),
  }),
  { minLength: 1, maxLength: 3 },
);

/** What went wrong. */
export interface Findings {
  readonly refused: string[];
  readonly lost: string[];
  readonly doubled: string[];
  readonly events: number;
}

/** How often a mark stands in messages. */
function count(messages: readonly unknown[], mark: string): number {
  return JSON.stringify(messages).split(mark).length - 1;
}

/**
 * Plays turns in one conversation, and judges it after every event.
 *
 * @param spoil A fault that is planted: what the judge is shown in the place of the messages.
 * @param also What else happens at every event of a turn.
 */
export async function play(
  dialect: AnyDialect,
  wire: Wire,
  turns: readonly RandomTurn[],
  spoil: (messages: Fields[]) => Fields[] = (messages) => messages,
  also: (chat: Conversation<Fields>) => void = () => undefined,
): Promise<Findings> {
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
    const refusal = messages.length === 0 ? undefined : wire.refuse(jsonOf(messages));
    if (refusal !== undefined) findings.refused.push(refusal);
  };

  for (const { rounds, happenings, between } of turns) {
    const before = expected;
    expected = new Map(expected);
    let events = 0;
    const happen = (): void => {
      const at = events++;
      also(chat);
      judge();
      for (const { what } of happenings.filter((one) => one.at === at)) {
        if (what === 'cancel') agent.cancel('user');
        else if (what === 'kill') agent.kill('user');
        else {
          const mark = `«news ${String(++serial)}»`;
          const sent = agent.interject(mark, { delivery: what });
          void sent.settled.then((end) => {
            if (end === 'delivered') expected.set(mark, 'message');
          });
        }
        judge();
      }
    };
    const prompt = `«prompt ${String(++serial)}»`;
    expected.set(prompt, 'prompt');
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
              const refusal = wire.refuse(jsonOf(messages));
              if (refusal !== undefined) findings.refused.push(`asked: ${refusal}`);
              happen();
              if (said.words !== '') {
                partial(wire.fold({ ...said, words: said.words.slice(0, 4), thought: '', calls: [] }));
              }
              await delay(signal, 1);
              if (attempt++ === 0 && client === 'fails first') throw new Error('dropped');
              if (attempt === 1 && client === 'times out first') await delay(signal, 1000);
              happen();
              partial(wire.fold(said));
              await delay(signal, 1);
              happen();
              return wire.whole(said);
            },
            { idleMs: 5, recover: { attempts: 1 } },
          );
        const reply = await ask().catch((error: unknown) => {
          if (own.token.isCancelled || client !== 'fails first') throw error;
          return ask();
        });
        happen();
        if (reply.status === 'completed') {
          if (said.words !== '') expected.set(said.words, 'words');
          if (said.thought !== '' && wire.name === 'anthropic') expected.set(`"${said.thought}"`, 'thought');
          for (const { mark } of said.calls) expected.set(mark, 'call');
        }
        const how = new Map(said.calls.map(({ mark }, at) => [mark, calls[at]]));
        await own.tools(
          reply.calls,
          async ({ input }, { token }) => {
            const { mark } = input as { readonly mark: string };
            const result = mark.replace('call', 'result');
            happen();
            const kind = how.get(mark);
            if (kind === 'fails') {
              expected.set(result, 'failure');
              throw new Error(result);
            }
            if (kind === 'obeys') await delay(token, 2);
            if (kind === 'deaf') await new Promise<void>((resolve) => clock.setTimer(resolve, 50, { ref: false }));
            else happen();
            expected.set(result, 'result');
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
    // What is deaf ends at last.
    await clock.advance(60);
    judge();
    const late = agent.takeLateOutcomes();
    chat.late(late);
    judge();
    chat.late(late);
    for (const mark of report.undelivered.map(({ message }) => String(message))) {
      if (count(chat.messages, mark) !== 0) findings.doubled.push(`undelivered ${mark}`);
    }
    if (report.status === 'failed') throw report.error as Error;
    if (between === 'drop') {
      const back = chat.drop(report);
      judge();
      if (count(back, prompt) !== 1) findings.lost.push(`given back: ${prompt}`);
      expected = before;
      for (const { name, value } of late) if (typeof value === 'string') expected.set(value, `late ${name}`);
    } else if (between === 'mark') chat.mark();
    else if (between === 'fork') chat = chat.fork();
    else if (between === 'store')
      chat = new Conversation<Fields>(dialect as never, {
        messages: JSON.parse(JSON.stringify(chat.messages)) as Fields[],
      });
    else if (between === 'compact') {
      const summary = `«summary ${String(++serial)}»`;
      chat.compact([summary]);
      expected = new Map([[summary, 'summary']]);
    }
    judge();
    for (const [mark, kind] of expected) {
      const times = count(jsonOf(chat.messages), mark);
      if (times === 0) findings.lost.push(`${kind} ${mark}`);
      if (times > 1) findings.doubled.push(`${kind} ${mark} stands ${String(times)} times`);
    }
    if (count(chat.messages, '«aside»') > 0) findings.doubled.push('an aside was told');
  }
  await agent.close();
  return findings;
}
