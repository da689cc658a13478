import { describe, expect, it } from 'vitest';
import { CancellationTokenSource, InterruptController } from '../../../../src/index.ts';
import { Conversation } from '../../../../src/transcript/index.ts';
import { EntryWriter, type CallState, type Entry } from '../../../../src/transcript/conversation/entries.ts';
import { takeReply } from '../../../../src/transcript/conversation/take-reply.ts';
import { frameworkLoops } from '../../../../src/transcript/conversation/loops/framework-loops.ts';
import { SpokenMessages } from '../../../../src/transcript/conversation/spoken-messages.ts';
import { Answers } from '../../../../src/transcript/conversation/waiting/answers.ts';
import { LoopCalls } from '../../../../src/transcript/conversation/loops/loop-calls.ts';
import { WaitingCalls } from '../../../../src/transcript/conversation/waiting/waiting-calls.ts';
import { rulesOf } from '../../../../src/transcript/dialects/create-dialect.ts';
import { aiSDK, type AISDKMessage } from '../../../../src/transcript/dialects/ai-sdk/index.ts';
import { createWords } from '../../../../src/transcript/words/wording.ts';

const rules = rulesOf({ dialect: aiSDK });
const words = createWords(undefined);
const prompt: Entry<AISDKMessage> = { turn: undefined, messages: [{ role: 'user', content: 'go' }], prompts: [] };
const decision: AISDKMessage = {
  role: 'tool',
  content: [{ type: 'tool-approval-response', approvalId: 'q', approved: true } as never],
};
const answer = { turn: undefined, message: decision, prompts: [decision] };

function stageOf(state: CallState = { isOfLoop: true }) {
  const writer = new EntryWriter(rules, words, undefined);
  const content = [
    { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: {} },
    { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'a' },
  ];
  const value = { role: 'assistant', content };
  const taken = takeReply(rules, value, { cutBy: undefined, words, idOf: (id) => id });
  const reply = { ...taken, messages: [value as AISDKMessage] };
  writer.add(reply);
  Object.assign(writer.stateOf(reply.calls[0]) as CallState, state);
  const entry: Entry<AISDKMessage> = { turn: undefined, reply };
  const parts = { rules, words, writer, loops: frameworkLoops, spoken: new SpokenMessages(rules, words) };
  const answers = new Answers(parts, (message) => message, undefined);
  return { waiting: new WaitingCalls(parts, answers, new LoopCalls()), answers, entry, writer };
}

it('calls that wait do so again when the turn is dropped that began with their result, and no longer than before', async () => {
  const call = { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: {} };
  const output = { type: 'text', value: 'paid' };
  const asked = [
    { role: 'user', content: 'Pay.' },
    { role: 'assistant', content: [call] },
  ] as AISDKMessage[];
  const paid = { role: 'tool', content: [{ ...call, type: 'tool-result', output }] } as unknown as AISDKMessage;
  const chat = new Conversation(aiSDK, { messages: asked, waits: true });
  const agent = new InterruptController();
  const report = await chat.runTurn(agent, paid, (turn) =>
    turn.model(({ messages }) => {
      expect(aiSDK.check(messages)).toEqual([]);
      agent.cancel('user');
    }),
  );
  expect(chat.drop(report)).toEqual([paid]);
  expect(chat.messages).toEqual(asked);
  expect(chat.fork().messages).toEqual(asked);
  chat.push('Never mind.');
  expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user']);
  expect(aiSDK.check(chat.messages)).toEqual([]);
});

it.each<[what: string, prompt: AISDKMessage | undefined, token: boolean]>([
  ['that was to carry on with them, whoever keeps the answers', undefined, false],
  ['that carries an answer', decision, false],
  ['that carries an answer and never began', decision, true],
])('no call waits any more once a turn was stopped %s', async (_what, prompt, isStopped) => {
  const call = { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: {} };
  const content = [call, { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'a' }];
  const asked = [
    { role: 'user', content: 'Pay.' },
    { role: 'assistant', content },
  ] as AISDKMessage[];
  const chat = new Conversation(aiSDK, { messages: asked, waits: true });
  const agent = new InterruptController();
  const source = new CancellationTokenSource();
  if (isStopped) source.cancel('user');
  const report = await chat.runTurn(agent, prompt, () => void agent.cancel('user'), { token: source.token });
  expect(report.status).toBe('cancelled');
  expect(aiSDK.check(chat.messages)).toEqual([]);
  expect(JSON.stringify(chat.messages)).toContain('was not started');
  expect(() => {
    chat.push(decision);
  }).toThrow('an answer must be to what waits here');
});

describe('calls that wait', () => {
  it('are those of the last reply, with nothing behind them', () => {
    const { waiting, entry } = stageOf();
    expect(waiting.in([])).toBeUndefined();
    expect(waiting.in([prompt, entry])).toBe(entry);
    expect(waiting.in([entry, prompt])).toBeUndefined();
  });

  it.each<[string, CallState]>([
    ['a program runs itself', {}],
    ['have a result', { isOfLoop: true, isAnswered: true }],
  ])('are none that %s', (_what, state) => {
    const { waiting, entry } = stageOf(state);
    expect(waiting.in([entry])).toBeUndefined();
  });

  it('stay open for an answer, and are closed by whatever else follows', () => {
    const { waiting, entry, writer, answers } = stageOf();
    const entries = [prompt, entry];
    answers.add(entry, answer);
    expect(waiting.asking(entries)?.at(-1)).toBe(decision);
    waiting.begin(entries, { reason: () => undefined, isOver: false, replaced: [] });
    expect(waiting.asking(entries)).toBeUndefined();
    expect(waiting.goOn(entries)).toBe(true);
    const messages = entries.flatMap((one) => writer.write(one));
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
    expect(aiSDK.check([...messages, { role: 'user', content: 'next' }])).toEqual([]);
    expect(waiting.goOn(entries)).toBe(false);
  });

  it('do not wait once a request has gone out without a word of them: they may have run', () => {
    const { waiting, entry, writer } = stageOf({ isOfLoop: true, mayRun: true });
    writer.pass(prompt);
    expect(waiting.in([entry])).toBe(entry);
    writer.pass(entry);
    expect(waiting.in([entry])).toBeUndefined();
    expect(JSON.stringify(writer.write(entry))).toContain('may have run');
  });

  it('did not run where a request has gone out without the answer of the person who is asked', () => {
    const { waiting, entry, writer } = stageOf();
    writer.pass(entry);
    expect(waiting.in([entry])).toBeUndefined();
    expect(JSON.stringify(writer.write(entry))).toContain('was not started');
  });

  it('give back what a person had said about them', () => {
    const { waiting, entry, answers } = stageOf();
    const entries = [entry];
    answers.add(entry, answer);
    waiting.goOn(entries);
    expect(entries[0]).toMatchObject({ prompts: [decision] });
  });
});

describe('who speaks while a call waits for a person', () => {
  const asked = () => {
    const call = { type: 'tool-call', toolCallId: 'a', toolName: 'pay', input: {} };
    const content = [call, { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'a' }];
    const messages = [
      { role: 'user', content: 'Pay.' },
      { role: 'assistant', content },
    ] as AISDKMessage[];
    return new Conversation(aiSDK, { messages, waits: true });
  };
  const reply = { role: 'assistant', content: 'Paid.' };

  it('and is a program that tells what ended late takes nothing from the answer', async () => {
    const chat = asked();
    chat.late([{ id: 'b', name: 'build', turnId: 1, was: 'detached', status: 'completed', at: 1 } as never]);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'user', 'assistant']);
    const sent: string[][] = [];
    await chat.runTurn(new InterruptController(), decision, (turn) =>
      turn.model(({ messages }) => {
        sent.push(messages.map(({ role }) => role));
        return reply;
      }),
    );
    expect(sent).toEqual([['user', 'user', 'assistant', 'tool']]);
    expect(JSON.stringify(chat.messages).split('build')).toHaveLength(2);
    expect(aiSDK.check(chat.messages)).toEqual([]);
  });

  it('and is heard by nobody yet is read behind the answer', async () => {
    const agent = new InterruptController({ undelivered: 'keep' });
    await agent.runTurn(() => void agent.interject('In euros.'));
    const chat = asked();
    const sent: string[][] = [];
    await chat.runTurn(agent, decision, (turn) =>
      turn.model(({ messages }) => {
        sent.push(messages.map(({ role }) => role));
        return reply;
      }),
    );
    expect(sent).toEqual([['user', 'assistant', 'tool', 'user']]);
    expect(JSON.stringify(chat.messages).split('In euros.')).toHaveLength(2);
    expect(aiSDK.check(chat.messages)).toEqual([]);
  });
});
