import { describe, expect, it } from 'vitest';
import { recorderOf, type LoopRecorder } from '../../../../src/core/interrupt/messages/loop-recorder.ts';
import { Conversation } from '../../../../src/transcript/index.ts';
import { openaiAgents } from '../../../../src/transcript/dialects/openai-agents/index.ts';
import { aiSDK, type AISDKMessage } from '../../../../src/transcript/dialects/ai-sdk/index.ts';
import { stage } from '../../../core/interrupt/kit.ts';

const call = (toolCallId: string) => ({ type: 'tool-call', toolCallId, toolName: 'pay', input: {} });
const say = (...content: object[]) => ({ role: 'assistant' as const, content });
const reply = { read: (value: unknown) => value };

/** A turn in which somebody records; the messages behind it. */
async function recorded(
  body: (recorder: LoopRecorder, messages: () => AISDKMessage[], interject: () => void) => unknown,
) {
  const { agent } = stage();
  const chat = new Conversation<AISDKMessage>(aiSDK);
  const report = await chat.runTurn(agent, 'go', async (turn) => {
    const recorder = recorderOf(turn);
    if (recorder === undefined) throw new Error('no recorder');
    await body(
      recorder,
      () => chat.messages,
      () => void agent.interject('use pnpm', { delivery: 'now' }),
    );
  });
  return { report, chat, agent, rest: chat.messages.slice(1) as { role: string; content: unknown }[] };
}

it.each([
  ['a copy', (turn: object) => ({ ...turn })],
  ['a proxy', (turn: object) => new Proxy(turn, {})],
  ['an object made of it', (turn: object) => Object.create(turn) as object],
])('%s of a turn is recorded as that turn', async (_what, made) => {
  const chat = new Conversation<AISDKMessage>(aiSDK);
  const report = await chat.runTurn(stage().agent, 'go', (turn) => recorderOf(made(turn)) === recorderOf(turn));
  expect(report.unwrap()).toBe(true);
});

const outputsIn = (messages: readonly { content: unknown }[]): unknown[] =>
  messages.flatMap(({ content }) =>
    Array.isArray(content) ? (content as { output?: unknown }[]).flatMap(({ output }) => output ?? []) : [],
  );

describe('the recorder of a framework’s loop', () => {
  it('gives no two calls one id, and ids that every provider takes', async () => {
    const { rest } = await recorded(async (recorder) => {
      const ids = ['a', 'a', 'odd id', ''].map(recorder.callId);
      expect(ids.slice(0, 2)).toEqual(['a', 'a_copy2']);
      expect(new Set(ids).size).toBe(4);
      for (const id of ids) expect(id).toMatch(/^[\w-]{1,40}$/);
      await recorder.model(() => say(...ids.map(call)), {}, reply);
      for (const id of ids) recorder.told(id, { output: { type: 'text', value: id } });
      // A call that nobody has announced, with an id that is taken.
      await recorder.model(() => say(call('a')), {}, reply);
    });
    expect(JSON.stringify(rest)).toContain('a_copy3');
    expect(outputsIn(rest)).toMatchObject([{ value: 'a' }, { value: 'a_copy2' }, {}, {}]);
  });

  it('takes the outcome of a call by its id, also before its reply is there', async () => {
    const { rest } = await recorded(async (recorder) => {
      const [one, two] = ['one', 'two'].map(recorder.callId) as [string, string];
      const row = (id: string) => ({ id, name: 'pay', isSingle: true });
      await recorder.turn.tool(row(one), () => 'early');
      await recorder.model(() => say(call(one), call(two)), {}, reply);
      await recorder.turn.tool(row(two), () => 'late');
    });
    expect(outputsIn(rest)).toEqual([
      { type: 'text', value: 'early' },
      { type: 'text', value: 'late' },
    ]);
  });

  it('has what a call did while its reply is on its way: the process may die now', async () => {
    const stored: AISDKMessage[][] = [];
    const { chat } = await recorded(async (recorder, messages) => {
      const id = recorder.callId('a');
      const own = { text: 'Paying.', message: say({ type: 'text', text: 'Paying.' }, call(id)) };
      await recorder.model(
        async ({ partial }) => {
          partial(own);
          expect(messages()).toHaveLength(1);
          await recorder.turn.tool({ id, name: 'pay', isSingle: true }, () => 'paid');
          stored.push(messages());
          return own.message;
        },
        {},
        reply,
      );
    });
    expect(aiSDK.check(stored[0] ?? [])).toEqual([]);
    expect(JSON.stringify(stored)).toMatch(/Paying.*paid/);
    expect(chat.messages).toHaveLength(3);
    expect(JSON.stringify(chat.messages)).not.toContain('cut off');
  });

  it('keeps what the framework told of a call, whatever the ledger says', async () => {
    const { rest } = await recorded(async (recorder) => {
      const id = recorder.callId('a');
      await recorder.model(() => say(call(id)), {}, reply);
      recorder.told(id, { output: { type: 'text', value: 'told' } });
      recorder.told(id, { output: { type: 'text', value: 'told again' } });
      recorder.told('unknown', { output: { type: 'text', value: 'of nobody' } });
      await recorder.turn.tool({ id, name: 'pay', isSingle: true }, () => 'the ledger');
    });
    expect(outputsIn(rest)).toEqual([{ type: 'text', value: 'told' }]);
  });

  it('keeps a message that the framework told as it is, among those of other calls', async () => {
    const own = {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'b', toolName: 'pay', output: { type: 'text', value: 'mine' } }],
    };
    const { rest } = await recorded(async (recorder) => {
      const ids = ['a', 'b', 'c'].map(recorder.callId);
      await recorder.model(() => say(...ids.map(call)), {}, reply);
      recorder.told('b', { message: own });
      for (const id of ['a', 'c']) await recorder.turn.tool({ id, name: 'pay', isSingle: true }, () => id);
    });
    expect(rest.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'tool']);
    expect(outputsIn(rest)).toMatchObject([{ value: 'a' }, { value: 'mine' }, { value: 'c' }]);
  });

  it('says of a call that runs that it may have run, and of one that never began that it did not', async () => {
    const { rest, chat } = await recorded(async (recorder, messages) => {
      const id = recorder.callId('a');
      await recorder.model(() => say(call(id)), {}, reply);
      expect(JSON.stringify(messages())).toContain('may have run');
      recorder.turn.cancel('user');
    });
    expect(chat.messages).toHaveLength(3);
    expect(JSON.stringify(outputsIn(rest))).toContain('not started');
  });

  it('says that it may have run all the same where somebody may run calls unseen', async () => {
    const { rest } = await recorded(async (recorder) => {
      const id = recorder.callId('a');
      await recorder.model(() => say(call(id)), {}, { ...reply, mayRunUnseen: true });
      recorder.turn.cancel('user');
    });
    expect(JSON.stringify(outputsIn(rest))).toContain('may have run');
  });

  it('takes a reply that a message cut as a whole one where the framework goes on from it', async () => {
    const { rest, report } = await recorded(async (recorder, _messages, interject) => {
      const id = recorder.callId('a');
      await recorder.model(
        async ({ partial, token }) => {
          partial({ text: '', message: say(call(id)) });
          interject();
          await token.whenCancelled();
          token.throwIfCancelled();
        },
        {},
        { read: () => say(), endedByCut: () => say(call(id)) },
      );
      recorder.told(id, { output: { type: 'text', value: 'paid' } });
    });
    expect(report.status).toBe('completed');
    expect(rest.map(({ role }) => role).slice(0, 2)).toEqual(['assistant', 'tool']);
    expect(JSON.stringify(rest)).not.toContain('cut');
  });

  it('reads each message of a person once, where it is told', async () => {
    const { rest } = await recorded(async (recorder) => {
      await recorder.model(() => say({ type: 'text', text: 'one' }), {}, reply);
      const message = { message: 'use pnpm', status: 'delivered' } as never;
      recorder.read([message]);
      recorder.asked();
      recorder.read([message]);
      await recorder.model(() => say({ type: 'text', text: 'two' }), {}, reply);
    });
    expect(rest.map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant']);
  });

  it('lets the framework change the message that holds a call', async () => {
    const question = { type: 'tool-approval-request', approvalId: 'q', toolCallId: 'a' };
    const { rest } = await recorded(async (recorder) => {
      await recorder.model(() => say(call(recorder.callId('a'))), {}, reply);
      recorder.amend('a', (message) => ({ ...(message as object), content: [call('a'), question] }));
      recorder.amend('b', () => undefined);
    });
    // Open for the answer of a person.
    expect(rest).toEqual([say(call('a'), question)]);
  });

  it('keeps the answer that a framework tells its model of a question, once, until the turn is taken out', async () => {
    const hosted = (name: string, providerData: object) => ({ type: 'hosted_tool_call', name, providerData });
    const asks = hosted('mcp_approval_request', {
      type: 'mcp_approval_request',
      id: 'q',
      name: 'pay',
      arguments: '{}',
    });
    const answer = (approve: boolean) => hosted('mcp_approval_response', { approve, approval_request_id: 'q' });
    const said = {
      type: 'message',
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: 'Paid.' }],
    };
    const chat = new Conversation(openaiAgents);
    const { agent } = stage();
    const report = await chat.runTurn(agent, 'Pay.', async (turn) => {
      const recorder = recorderOf(turn) as LoopRecorder;
      await recorder.model(() => ({ output: [asks] }), {}, reply);
      recorder.told('q', { message: answer(true) });
      await recorder.model(() => ({ output: [said] }), {}, reply);
      // The request of the next round has it again.
      recorder.told('q', { message: answer(false) });
    });
    expect(chat.messages.slice(1)).toEqual([asks, answer(true), said]);
    expect(chat.drop(report)).toHaveLength(1);
    expect(chat.messages).toEqual([]);
  });
});
