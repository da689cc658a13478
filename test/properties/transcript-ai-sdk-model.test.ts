import fc from 'fast-check';

import { marksIn } from '../transcript/support/arbitraries.ts';
import { alwaysSendable, lastThoughts, markedText, nextMark } from '../transcript/support/properties.ts';
import { aiSDK } from '../../src/transcript/dialects/ai-sdk/index.ts';
import type { AISDKMessage } from '../../src/transcript/dialects/ai-sdk/message.ts';

const ids = ['a', 'b', 'c', 'b_copy2'] as const;
const id = fc.constantFrom(...ids);

const text = markedText('', ' ', 'plain', 'trailing \n');

const options = fc.constantFrom<unknown>(
  undefined,
  undefined,
  { openai: { itemId: 'rs_1' } },
  { openai: { itemId: 'rs_2', reasoningEncryptedContent: 'sealed' } },
  { anthropic: { signature: 'signed' } },
);
const optional = <T extends object>(part: T, more: Readonly<Record<string, unknown>>): T & { type: string } =>
  Object.fromEntries(Object.entries({ ...part, ...more }).filter(([, value]) => value !== undefined)) as never;

const input = fc.constantFrom<unknown>(
  {},
  { path: '/tmp' },
  '{"path":"/tmp"}',
  '{"path":"/tm',
  '',
  'ls -la',
  undefined,
);

const call = fc
  .record({
    toolCallId: fc.constantFrom(...ids, ''),
    toolName: fc.constantFrom('read', 'read', 'read', ''),
    input,
    providerExecuted: fc.constantFrom<unknown>(undefined, undefined, undefined, true),
    providerOptions: options,
  })
  .map((one) => optional({ type: 'tool-call' }, one));

const output = fc.constantFrom('text', 'json', 'content', 'error-text', 'denied', 'none', 'legacy').map((form) => {
  const value = nextMark('result');
  switch (form) {
    case 'none':
      return {};
    case 'legacy':
      return { result: { of: value } };
    case 'json':
      return { output: { type: form, value: { of: value } } };
    case 'content':
      return { output: { type: form, value: [{ type: 'text', text: value }] } };
    case 'denied':
      return { output: { type: 'execution-denied', reason: value } };
    default:
      return { output: { type: form, value } };
  }
});
const result = fc
  .record({ toolCallId: id, output })
  .map(({ toolCallId, output: one }) => ({ type: 'tool-result', toolCallId, toolName: 'read', ...one }));

const request = fc
  .record({ approvalId: fc.constantFrom('q1', 'q2'), toolCallId: id })
  .map((one) => ({ type: 'tool-approval-request', ...one }));
const response = fc
  .record({ approvalId: fc.constantFrom('q1', 'q2'), approved: fc.boolean(), reason: fc.constantFrom(undefined, 'no') })
  .map((one) => optional({ type: 'tool-approval-response' }, one));

const assistantPart = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .tuple(text, options)
      .map(([one, own]) => optional({ type: 'text', text: one }, { providerOptions: own })),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(text, options)
      .map(([one, own]) => optional({ type: 'reasoning', text: one }, { providerOptions: own })),
  },
  { weight: 5, arbitrary: call },
  { weight: 1, arbitrary: result },
  { weight: 2, arbitrary: request },
);

const assistant = fc
  .oneof(text, fc.array(assistantPart, { maxLength: 5 }))
  .map((content): AISDKMessage => ({ role: 'assistant', content }));
const tool = fc
  .array(fc.oneof({ weight: 4, arbitrary: result }, { weight: 1, arbitrary: response }), { maxLength: 3 })
  .map((content): AISDKMessage => ({ role: 'tool', content }));
const other = fc.record({ role: fc.constantFrom('user', 'system'), content: text }).map((one) => one as AISDKMessage);

/** Anything at all: every rule broken in every combination. */
const wild = fc.array(
  fc.oneof({ weight: 5, arbitrary: assistant }, { weight: 5, arbitrary: tool }, { weight: 2, arbitrary: other }),
  { maxLength: 9 },
);

/** An agent's rounds as they should be: prompt, then calls and their results, then an answer. */
const round = fc.record({
  calls: fc.integer({ min: 1, max: 4 }),
  results: fc.constantFrom('whole', 'apart', 'shuffled', 'after a word', 'twice', 'some', 'asked'),
});
const rounds = fc.tuple(fc.array(round, { minLength: 1, maxLength: 5 }), fc.nat(), fc.boolean());

/** What is left of a conversation that was cut; some providers number their calls anew in every round. */
const cutHistories = rounds.map(([shape, cutAt, reusesIds]) => {
  const history: AISDKMessage[] = [{ role: 'user', content: 'text<p>' }];
  const callIds = new Set<string>();
  shape.forEach(({ calls, results }, r) => {
    const names = Array.from({ length: calls }, (_, i) => (reusesIds ? `call_${i}` : `r${r}c${i}`));
    names.forEach((name) => callIds.add(name));
    const uses = names.map((name) => ({
      type: 'tool-call',
      toolCallId: name,
      toolName: 'read',
      input: { of: `call<r${r}x${name}>` },
    }));
    const asks = names.map((name) => ({ type: 'tool-approval-request', approvalId: `q${r}${name}`, toolCallId: name }));
    const says = [
      { type: 'reasoning', text: `text<t${r}>` },
      { type: 'text', text: `text<r${r}>` },
    ];
    history.push({
      role: 'assistant',
      content: [...says, ...uses, ...(results === 'asked' ? asks : [])],
    });
    const done = names.map((name) => ({
      type: 'tool-result',
      toolCallId: name,
      toolName: 'read',
      output: { type: 'text', value: `result<r${r}x${name}>` },
    }));
    const word: AISDKMessage = { role: 'user', content: `text<w${r}>` };
    const of = (...content: { type: string }[]): AISDKMessage => ({ role: 'tool', content });
    if (results === 'apart') history.push(...done.map((one) => of(one)));
    else if (results === 'shuffled') history.push(of(...done.reverse()));
    else if (results === 'after a word') history.push(word, of(...done));
    else if (results === 'twice') history.push(of(...done), of(...done));
    else if (results === 'some') history.push(of(...done.slice(1)));
    else if (results === 'asked') {
      const decisions = asks.map(({ approvalId }, i) => ({
        type: 'tool-approval-response',
        approvalId,
        approved: i % 2 === 0,
      }));
      history.push(of(...decisions), of(...done));
    } else history.push(of(...done));
  });
  history.push({ role: 'assistant', content: 'text<end>' });
  const cut = history.slice(0, 1 + (cutAt % history.length));
  return { history: cut, callIds: [...callIds], open: openCalls(cut.at(-1)) };
});

const partialValue = fc.oneof(assistant, text, fc.constantFrom(null, 7, {}, { role: 'user', content: 'x' }));

/** The calls of a last message, which nobody has answered yet. */
function openCalls(last: AISDKMessage | undefined): string[] {
  const parts = typeof last?.content === 'string' ? [] : (last?.content ?? []);
  return parts.flatMap((part) =>
    part.type === 'tool-call' ? (part as unknown as { toolCallId: string }).toolCallId : [],
  );
}

alwaysSendable({
  dialect: aiSDK,
  kind: 'messages for a model',
  ids,
  wild,
  cut: cutHistories,
  partialValue,
  mayGo: (messages) => marksIn(lastThoughts(messages)),
});
