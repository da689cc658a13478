import fc from 'fast-check';

import { ollama, type OllamaChatMessage } from '../../src/transcript/dialects/ollama/index.ts';
import { alwaysSendable, markedText, nextMark, tidy } from '../transcript/support/properties.ts';

type Message = OllamaChatMessage & Readonly<Record<string, unknown>>;

/** As `calls` numbers them, ids that newer servers give, and one that somebody made up: the rows' tools are named by them. */
const ids = ['read#1', 'read#2', 'tool_made up#1', 'a', 'b', 'made up'] as const;
const name = fc.constantFrom('read', 'read', 'tool_made up', 'list', '');
const given = fc.constantFrom(undefined, undefined, undefined, undefined, 'a', 'b', '');

const text = markedText('', ' ', 'plain', 'trailing \n');

const args = fc.constantFrom<unknown>({}, { path: '/tmp' }, undefined, '{"path":"/tmp"}', '{"path":"/tm', '');

const call = fc
  .record({ id: given, name, arguments: args })
  .map(({ id, ...body }) => tidy({ id, function: tidy(body) }));

const content = fc.oneof(
  text,
  text,
  text,
  fc.constant(null),
  fc.constant(undefined),
  fc.array(
    text.map((one) => ({ type: 'text', text: one })),
    { maxLength: 1 },
  ),
);

const assistant = fc
  .record({
    content,
    thinking: fc.constantFrom(undefined, undefined, 'I should look.'),
    tool_calls: fc.oneof(fc.constant(undefined), fc.array(call, { maxLength: 4 })),
  })
  .map((one) => tidy<Message>({ role: 'assistant', ...one } as unknown as Message));

const toolContent = fc.constantFrom('', 'plain', 'parts', null, undefined, 'empty').map((form) => {
  if (form === 'plain') return nextMark('result');
  if (form === 'empty') return [];
  return form === 'parts' ? [{ type: 'text', text: nextMark('result') }] : form;
});

const tool = fc
  .record({ tool_name: fc.oneof(name, fc.constant(undefined)), tool_call_id: given, content: toolContent })
  .map((one) => tidy<Message>({ role: 'tool', ...one } as unknown as Message));

const other = fc.record({ role: fc.constantFrom('user', 'user', 'system'), content: text }).map((one): Message => one);

/** Anything at all: every rule broken in every combination. */
const wild = fc.array(
  fc.oneof({ weight: 5, arbitrary: assistant }, { weight: 6, arbitrary: tool }, { weight: 2, arbitrary: other }),
  { maxLength: 10 },
);

const round = fc.record({
  calls: fc.integer({ min: 1, max: 4 }),
  /** Whether all calls are of one tool. */
  same: fc.boolean(),
  results: fc.constantFrom('whole', 'nameless', 'after a word', 'before the last', 'some'),
});

/** What is left of a conversation that was cut; every round numbers its calls anew, because nobody else does. */
const cut = fc
  .tuple(fc.array(round, { minLength: 1, maxLength: 5 }), fc.nat(), fc.boolean())
  .map(([shape, cutAt, givesIds]) => {
    const history: Message[] = [{ role: 'user', content: 'text<p>' }];
    const callIds = new Set<string>();
    shape.forEach(({ calls, same, results }, r) => {
      const places = Array.from({ length: calls }, (_, i) => i + 1);
      const nameAt = (i: number): string => `tool_${String(same ? 1 : i)}`;
      const idAt = (i: number): { id?: string } => (givesIds ? { id: `r${String(r)}c${String(i)}` } : {});
      const tool_calls = places.map((i) => {
        callIds.add(idAt(i).id ?? `${nameAt(i)}#${String(same ? i : 1)}`);
        return { ...idAt(i), function: { name: nameAt(i), arguments: { of: `call<r${String(r)}x${String(i)}>` } } };
      });
      history.push({ role: 'assistant', content: `text<r${String(r)}>`, tool_calls });
      const done = places.map((i): Message => {
        const said = { role: 'tool', content: `result<r${String(r)}x${String(i)}>` };
        return results === 'nameless' ? said : { ...said, tool_name: nameAt(i) };
      });
      const word: Message = { role: 'user', content: `text<w${String(r)}>` };
      if (results === 'after a word') history.push(word, ...done);
      else if (results === 'before the last') history.push(...done.slice(0, -1), word, ...done.slice(-1));
      else if (results === 'some') history.push(...done.slice(1));
      else history.push(...done);
    });
    history.push({ role: 'assistant', content: 'text<end>' });
    const kept = history.slice(0, 1 + (cutAt % history.length));
    const open = ollama.calls(kept.at(-1)?.role === 'assistant' ? kept.at(-1) : '').map(({ id }) => id);
    return { history: kept, callIds: [...callIds], open };
  });

const partialValue = fc.oneof(
  assistant,
  assistant.map((message) => ({ message, done: false })),
  text,
  fc.constantFrom(null, 7, {}, { role: 'user', content: 'x' }),
);

alwaysSendable({
  dialect: ollama,
  ids,
  wild,
  cut,
  partialValue,
});
