import fc from 'fast-check';

import { alwaysSendable, markedText, nextMark, tidy } from '../transcript/support/properties.ts';
import { gemini, type GeminiContent } from '../../src/transcript/dialects/gemini/index.ts';

const names = ['a', 'b', 'c'] as const;
const name = fc.constantFrom(...names);

const text = markedText('', ' ', 'plain', 'trailing \n');

const callId = fc.constantFrom(undefined, undefined, 'id1', 'id2');
const signature = fc.constantFrom(undefined, undefined, 'sig');

const said = fc
  .record({ text, thought: fc.constantFrom(undefined, undefined, true), thoughtSignature: signature })
  .map(tidy);

const call = fc
  .record({
    id: callId,
    name: fc.oneof({ weight: 9, arbitrary: name }, fc.constant(undefined)),
    args: fc.constantFrom({}, { path: '/tmp' }),
    willContinue: fc.constantFrom(undefined, undefined, undefined, true),
    thoughtSignature: signature,
  })
  .map(({ thoughtSignature, ...functionCall }) => tidy({ functionCall: tidy(functionCall), thoughtSignature }));

const response = fc.tuple(callId, name, fc.constantFrom('object', 'text', undefined)).map(([id, own, form]) => {
  const result = nextMark('result');
  const body = form === 'object' ? { output: result } : form === 'text' ? result : undefined;
  return { functionResponse: tidy({ id, name: own, response: body }) };
});

const model = fc.record({
  role: fc.constant('model'),
  parts: fc.array(fc.oneof(said, call, call, fc.constant({})), { maxLength: 4 }),
});
const user = fc
  .record({
    role: fc.constantFrom('user', 'user', 'function', undefined),
    parts: fc.oneof(
      fc.array(fc.oneof({ weight: 3, arbitrary: response }, said), { maxLength: 4 }),
      fc.constant(undefined),
      fc.array(call, { maxLength: 1 }),
    ),
  })
  .map((one) => tidy(one) as GeminiContent);

/** Anything at all: every rule broken in every combination. */
const wild: fc.Arbitrary<GeminiContent[]> = fc.array(fc.oneof(model, user), { maxLength: 9 });

const partialValue = fc.oneof(
  text,
  model,
  model.map((message) => ({ message, isComplete: false })),
  fc.constantFrom(null, 7, {}, { role: 'user', parts: [] }),
);

const round = fc.record({
  calls: fc.integer({ min: 1, max: 4 }),
  results: fc.constantFrom('whole', 'shuffled', 'after a word', 'with a word', 'twice', 'some', 'in two turns'),
});

/** What is left of a conversation that was cut; with ids, and without, where only the order tells calls apart. */
const cutHistories = fc
  .tuple(fc.array(round, { minLength: 1, maxLength: 5 }), fc.nat(), fc.boolean())
  .map(([shape, cutAt, hasIds]) => {
    const history: GeminiContent[] = [{ role: 'user', parts: [{ text: 'text<p>' }] }];
    const callIds = new Set<string>();
    shape.forEach(({ calls, results }, r) => {
      const own = Array.from({ length: calls }, (_, i) => `r${r}c${i}`);
      const link = (one: string): object => (hasIds ? { id: one, name: 'read' } : { name: one });
      own.forEach((one) => callIds.add(one));
      const parts = own.map((one, i) => ({
        functionCall: { ...link(one), args: { of: `call<r${r}x${one}>` } },
        ...(i === 0 ? { thoughtSignature: 'sig' } : {}),
      }));
      history.push({ role: 'model', parts: [{ text: `text<r${r}>` }, ...parts] });
      const done = own.map((one) => ({
        functionResponse: { ...link(one), response: { output: `result<r${r}x${one}>` } },
      }));
      const word = { text: `text<w${r}>` };
      const say = (...given: object[]): void => void history.push({ role: 'user', parts: given });
      if (results === 'shuffled') say(...done.reverse());
      else if (results === 'after a word') {
        say(word);
        say(...done);
      } else if (results === 'with a word') say(...done, word);
      else if (results === 'twice') say(...done, ...done);
      else if (results === 'some') say(...done.slice(1));
      else if (results === 'in two turns') {
        say(...done.slice(0, 1));
        say(...done.slice(1));
      } else say(...done);
    });
    history.push({ role: 'model', parts: [{ text: 'text<end>' }] });
    const cut = history.slice(0, 1 + (cutAt % history.length));
    return { history: cut, callIds: [...callIds], open: openCalls(cut) };
  });

/** The calls of the last turn, which nobody has answered yet. */
function openCalls(history: readonly GeminiContent[]): string[] {
  const last = history.at(-1);
  return (last?.role === 'model' ? (last.parts ?? []) : []).flatMap((part) => {
    const own = (part as { functionCall?: { id?: string; name: string } }).functionCall;
    return own === undefined ? [] : [own.id ?? own.name];
  });
}

alwaysSendable({ dialect: gemini, ids: names, wild, cut: cutHistories, partialValue });
