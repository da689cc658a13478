import fc from 'fast-check';

import { marksIn } from '../transcript/support/arbitraries.ts';
import { alwaysSendable, lastThoughts, markedText, nextMark } from '../transcript/support/properties.ts';
import { langchain, type LangChainMessage } from '../../src/transcript/dialects/langchain/index.ts';

const ids = ['a', 'b', 'c', 'b_copy2'] as const;
const id = fc.constantFrom(...ids);

const text = markedText('', ' ', 'plain', 'trailing \n');

/** A class of another package, known by its shape alone. */
class Message {
  readonly kind: string;
  constructor(kind: string, fields: object) {
    this.kind = kind;
    Object.assign(this, fields);
    Object.assign(this, { lc_kwargs: { ...fields } });
  }
  getType(): string {
    return this.kind;
  }
  get ids(): string[] {
    return (this as { tool_calls?: { id: string }[] }).tool_calls?.map((call) => call.id) ?? [];
  }
}

/** The same message in one of the forms that LangChain takes. */
const formed = (kind: 'ai' | 'tool' | 'human', fields: Readonly<Record<string, unknown>>) =>
  fc.constantFrom('role', 'type', 'class', 'serialized').map((form): object => {
    const tidy = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
    const classNames = { ai: 'AIMessageChunk', tool: 'ToolMessage', human: 'HumanMessage' };
    const roles = { ai: 'assistant', tool: 'tool', human: 'user' };
    if (form === 'class') return new Message(kind, tidy);
    if (form === 'type') return { type: kind, ...tidy };
    if (form === 'role') return { role: roles[kind], ...tidy };
    return { lc: 1, type: 'constructor', id: ['langchain_core', 'messages', classNames[kind]], kwargs: tidy };
  });

const name = fc.constantFrom('read', 'read', 'read', '');
const json = fc.constantFrom('{}', '{"path":"/tmp"}', '{"path":"/tm', '');
const listed = fc.oneof(
  fc
    .record({
      id: fc.constantFrom(...ids, ''),
      name,
      args: fc.constantFrom<unknown>({}, { path: '/tmp' }, undefined, 'x'),
    })
    .map((one) => ({ type: 'tool_call', ...one })),
  fc
    .record({ id, name, arguments: json })
    .map(({ id: own, ...body }) => ({ id: own, type: 'function', function: body })),
);
const chunk = fc.record({ id: fc.constantFrom<unknown>(...ids, undefined), index: fc.nat(2), args: json });
const invalid = fc.record({ id, name: fc.constant('read'), args: fc.constant('{"pa') });

const block = fc.oneof(
  text.map((one) => ({ type: 'text', text: one })),
  fc.record({ type: fc.constant('tool_use'), id, name, input: fc.oneof(json, fc.constant({ path: '/tmp' })) }),
  fc.record({ type: fc.constant('tool_call'), id, name, args: fc.constantFrom<unknown>({}, undefined) }),
  fc.record({
    type: fc.constant('thinking'),
    thinking: text,
    signature: fc.constantFrom<unknown>('signed', undefined),
  }),
);
const maybe = <T>(some: fc.Arbitrary<T>) => fc.option(some, { nil: undefined, freq: 2 });

const assistant = fc
  .record({
    content: fc.oneof(text, fc.array(block, { maxLength: 4 })),
    tool_calls: maybe(fc.array(listed, { maxLength: 3 })),
    tool_call_chunks: maybe(fc.array(chunk, { maxLength: 3 })),
    invalid_tool_calls: maybe(fc.array(invalid, { maxLength: 2 })),
    additional_kwargs: maybe(
      fc.record({ tool_calls: maybe(fc.array(listed, { maxLength: 2 })), refusal: fc.constantFrom(undefined, 'No.') }),
    ),
  })
  .chain((fields) => formed('ai', fields));

const tool = fc
  .record({
    tool_call_id: id,
    content: fc.constantFrom('', 'plain', 'blocks', null, undefined, 'empty').map((form) => {
      if (form === 'plain') return nextMark('result');
      if (form === 'empty') return [];
      return form === 'blocks' ? [{ type: 'text', text: nextMark('result') }] : form;
    }),
    status: fc.constantFrom(undefined, 'success', 'error'),
  })
  .chain((fields) => formed('tool', fields));

const other = fc.oneof(
  text.map((content): LangChainMessage => content),
  text.map((content): LangChainMessage => ['human', content]),
  text.chain((content) => formed('human', { content })),
  fc.constant<LangChainMessage>({ type: 'remove', id: 'x' }),
);

/** Anything at all: every rule broken in every combination. */
const wild = fc.array<LangChainMessage>(
  fc.oneof({ weight: 5, arbitrary: assistant }, { weight: 6, arbitrary: tool }, { weight: 2, arbitrary: other }),
  { maxLength: 9 },
);

/** An agent's rounds as they should be: prompt, then calls and their results, then an answer. */
const round = fc.record({
  calls: fc.integer({ min: 1, max: 4 }),
  results: fc.constantFrom('whole', 'shuffled', 'after a word', 'before the last', 'twice', 'some'),
});
const rounds = fc.tuple(fc.array(round, { minLength: 1, maxLength: 5 }), fc.nat(), fc.boolean());

/** What is left of a conversation that was cut; some providers number their calls anew in every round. */
const cutHistories = rounds.map(([shape, cutAt, reusesIds]) => {
  const history: LangChainMessage[] = ['text<p>'];
  const callIds = new Set<string>();
  shape.forEach(({ calls, results }, r) => {
    const names = Array.from({ length: calls }, (_, i) => (reusesIds ? `call_${i}` : `r${r}c${i}`));
    names.forEach((own) => callIds.add(own));
    const uses = names.map((own) => ({ id: own, name: 'read', args: { of: `call<r${r}x${own}>` } }));
    history.push(new Message('ai', { content: `text<r${r}>`, tool_calls: uses }));
    const done = names.map((own) => new Message('tool', { tool_call_id: own, content: `result<r${r}x${own}>` }));
    const word = { role: 'user', content: `text<w${r}>` };
    if (results === 'shuffled') history.push(...done.reverse());
    else if (results === 'after a word') history.push(word, ...done);
    else if (results === 'before the last') history.push(...done.slice(0, -1), word, ...done.slice(-1));
    else if (results === 'twice') history.push(...done, ...done);
    else if (results === 'some') history.push(...done.slice(1));
    else history.push(...done);
  });
  history.push({ role: 'assistant', content: 'text<end>' });
  const cut = history.slice(0, 1 + (cutAt % history.length));
  return { history: cut, callIds: [...callIds], open: openCalls(cut.at(-1)) };
});

const partialValue = fc.oneof(assistant, text, fc.constantFrom(null, 7, {}, { role: 'user', content: 'x' }));

/** Marks as they are sent; an instance repeats them in what it is written down by. */
const sent = (messages: readonly LangChainMessage[]): string[] =>
  marksIn(messages.map((one) => (one instanceof Message ? { ...one, lc_kwargs: undefined } : one)));

/** The calls of a last message, which nobody has answered yet. */
function openCalls(last: LangChainMessage | undefined): string[] {
  return last instanceof Message && last.kind === 'ai' ? last.ids : [];
}

alwaysSendable({
  dialect: langchain,
  ids,
  wild,
  cut: cutHistories,
  partialValue,
  marksOf: sent,
  // Reasoning without its signature is the one text that goes.
  lost: (messages) => marksIn(JSON.stringify(messages).match(/"thinking":"[^"]*"\}/g) ?? []),
  mayGo: (messages) => marksIn(lastThoughts(messages)),
});
