import fc from 'fast-check';

import { alwaysSendable, markedText, nextMark, tidy } from '../transcript/support/properties.ts';
import { openaiChat, type OpenAIChatMessage } from '../../src/transcript/dialects/openai-chat/index.ts';

type Message = OpenAIChatMessage & Readonly<Record<string, unknown>>;

const ids = ['a', 'b', 'c', 'b_copy2'] as const;
const id = fc.constantFrom(...ids);

const text = markedText('', ' ', 'plain', 'trailing \n');

const args = fc.constantFrom<unknown>('{}', '{"path":"/tmp"}', '{"path":"/tm', '', undefined);

/** Some servers and some accumulators of streams leave it out. */
const callType = fc.constantFrom<unknown>('function', 'function', 'function', 'function', undefined, null, '');

const call = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({ id, name: fc.constantFrom('read', 'read', 'read', ''), arguments: args, type: callType })
      .map(({ id: own, type, ...body }) => tidy({ id: own, type, function: body })),
  },
  {
    weight: 1,
    arbitrary: id.map((own) => ({ id: own, type: 'custom', custom: { name: 'sh', input: 'half a comm' } })),
  },
  { weight: 1, arbitrary: fc.constant({ id: '', type: 'function', function: { name: 'read', arguments: '{}' } }) },
);

const content = fc.oneof(
  text,
  text,
  fc.constant(null),
  fc.constant(undefined),
  fc.array(
    text.map((one) => ({ type: 'text', text: one })),
    { maxLength: 2 },
  ),
);

const assistant = fc
  .record({
    content,
    refusal: fc.constantFrom<unknown>(undefined, undefined, null, '', 'No.'),
    name: fc.constantFrom(undefined, undefined, 'helper'),
    audio: fc.constantFrom<unknown>(undefined, undefined, undefined, null, { id: 'audio_1' }),
    function_call: fc.constantFrom<unknown>(undefined, undefined, undefined, { name: 'old', arguments: '{}' }),
    tool_calls: fc.oneof(fc.constant(undefined), fc.array(call, { maxLength: 4 })),
  })
  .map((one) => tidy<Message>({ role: 'assistant', ...one } as Message));

const toolContent = fc.constantFrom('', 'plain', 'parts', null, undefined, 'empty').map((form) => {
  if (form === 'plain') return nextMark('result');
  if (form === 'empty') return [];
  return form === 'parts' ? [{ type: 'text', text: nextMark('result') }] : form;
});

const tool = fc
  .record({ tool_call_id: id, content: toolContent })
  .map((one) => tidy<Message>({ role: 'tool', ...one } as Message));

const other = fc
  .record({
    role: fc.constantFrom('user', 'user', 'system', 'developer', 'function'),
    name: fc.constant('old'),
    content: text,
  })
  .map((one) => one as Message);

/** Anything at all: every rule broken in every combination. */
const wild = fc.array(
  fc.oneof({ weight: 5, arbitrary: assistant }, { weight: 6, arbitrary: tool }, { weight: 2, arbitrary: other }),
  { maxLength: 10 },
);

const resultOf = (own: string, said: string): Message => tidy({ role: 'tool', tool_call_id: own, content: said });

/** An agent's rounds as they should be: prompt, then calls and their results, then an answer. */
const round = fc.record({
  calls: fc.integer({ min: 1, max: 4 }),
  results: fc.constantFrom('whole', 'shuffled', 'after a word', 'before the last', 'twice', 'some'),
});
const rounds = fc.tuple(fc.array(round, { minLength: 1, maxLength: 5 }), fc.nat(), fc.boolean());

/** What is left of a conversation that was cut; some servers number their calls anew in every round. */
const cutHistories = rounds.map(([shape, cutAt, reusesIds]) => {
  const history: Message[] = [{ role: 'user', content: 'text<p>' }];
  const callIds = new Set<string>();
  shape.forEach(({ calls, results }, r) => {
    const names = Array.from({ length: calls }, (_, i) => (reusesIds ? `call_${i}` : `r${r}c${i}`));
    names.forEach((name) => callIds.add(name));
    const uses = names.map((name) => ({
      id: name,
      type: 'function',
      function: { name: 'read', arguments: `{"of":"call<r${r}x${name}>"}` },
    }));
    history.push({ role: 'assistant', content: `text<r${r}>`, tool_calls: uses });
    const done = names.map((name): Message => resultOf(name, `result<r${r}x${name}>`));
    const word = { role: 'user', content: `text<w${r}>` } as Message;
    if (results === 'shuffled') history.push(...done.reverse());
    else if (results === 'after a word') history.push(word, ...done);
    else if (results === 'before the last') history.push(...done.slice(0, -1), word, ...done.slice(-1));
    else if (results === 'twice') history.push(...done, ...done);
    else if (results === 'some') history.push(...done.slice(1));
    else history.push(...done);
  });
  history.push({ role: 'assistant', content: 'text<end>' });
  const cut = history.slice(0, 1 + (cutAt % history.length));
  const open = ((cut.at(-1)?.['tool_calls'] ?? []) as { id: string }[]).map((one) => one.id);
  return { history: cut, callIds: [...callIds], open };
});

const partialValue = fc.oneof(assistant, text, fc.constantFrom(null, 7, {}, { role: 'user', content: 'x' }));

alwaysSendable({ dialect: openaiChat, ids, wild, cut: cutHistories, partialValue });
