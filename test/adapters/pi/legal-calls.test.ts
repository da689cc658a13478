import { expect, it } from 'vitest';

import { withLegalCalls } from '../../../src/adapters/pi/legal-calls.ts';
import { partsOf } from '../../../src/adapters/pi/shapes.ts';
import { callPart, replyOf, textPart } from './support/fake-pi.ts';

const idsOf = (...ids: readonly string[]) =>
  partsOf(withLegalCalls(replyOf(...ids.map((id) => callPart(id))), [replyOf(callPart('old'))])).map(({ id }) => id);

it('a reply whose calls are legal stays the same object', () => {
  const reply = replyOf(textPart('a'), callPart('x'), callPart('y'));
  expect(withLegalCalls(reply, [{ role: 'user', content: 'go' }])).toBe(reply);
});

it('an id that an earlier call has, or another of the reply, becomes one of its own', () => {
  expect(idsOf('old', 'a', 'a', 'a')).toEqual(['old_copy2', 'a', 'a_copy2', 'a_copy3']);
  expect(idsOf('a', 'a_copy2', 'a')).toEqual(['a', 'a_copy2', 'a_copy3']);
});

it('a call without an id is given one, also where nothing but space is there', () => {
  expect(idsOf('', ' ', '')).toEqual(['call', 'call_copy2', 'call_copy3']);
  const [part] = partsOf(withLegalCalls(replyOf({ type: 'toolCall', name: 'work' }), []));
  expect(part?.id).toBe('call');
});

it('the id of an item stays behind that of the call', () => {
  expect(idsOf('a|fc_1', 'a|fc_1')).toEqual(['a|fc_1', 'a_copy2|fc_1']);
});

it('a call without a name is left out', () => {
  const reply = withLegalCalls(replyOf(textPart('a'), callPart('x', ''), { type: 'toolCall', id: 'y' }), []);
  expect(reply.content).toEqual([textPart('a')]);
});
