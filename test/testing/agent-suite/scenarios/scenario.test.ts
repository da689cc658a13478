import { expect, it } from 'vitest';
import { callsOf, check, same } from '../../../../src/testing/agent-suite/scenarios/scenario.ts';

it('same() says what is and what should be, as JSON', () => {
  same('calls', ['a'], ['a']);
  expect(() => {
    same('calls', ['a', undefined], ['a']);
  }).toThrow('calls: ["a",null], and not ["a"]');
});

it('check() throws its words', () => {
  check(true, 'fine');
  expect(() => {
    check(false, 'not fine');
  }).toThrow(/^not fine$/);
});

it('callsOf() asks for each tool, in order', () => {
  expect(callsOf('a', 'b').toolCalls?.map(({ name }) => name)).toEqual(['a', 'b']);
});
