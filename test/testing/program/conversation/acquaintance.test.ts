import { expect, it } from 'vitest';

import {
  acquaint,
  isInstructedOtherwise,
  isKnownBeside,
} from '../../../../src/testing/program/conversation/acquaintance.ts';
import { bash, knownBy, requestOf } from '../support.ts';

const asking = (content: string, system: string, tools: readonly object[] = [], stream = false) =>
  requestOf([], [], { body: { messages: [{ role: 'user', content }], system, tools }, stream });
const talk = asking('q begin', 'You are a friend.');
const title = asking('Write a title for:\nq begin', 'You write titles.');
const said = ['q begin'];
const nobodySees = () => false;

it('the request of the conversation is the one whose answer is seen, then the one with most tools, then one that streams', () => {
  const armed = asking('q begin', 'You are a friend.', [bash]);
  const streamed = asking('q begin', 'You are a friend.', [], true);
  expect(acquaint([title, armed], said, (request) => request === title)?.request).toBe(title);
  expect(acquaint([title, armed], said, nobodySees)?.request).toBe(armed);
  expect(acquaint([streamed, talk], said, (request) => request === talk)?.request).toBe(talk);
  expect(acquaint([title, streamed], said, nobodySees)?.request).toBe(streamed);
  expect(acquaint([talk, title], said, nobodySees)?.request).toBe(talk);
  expect(acquaint([], said, nobodySees)).toBeUndefined();
});

it('what is asked beside it is known by words that the conversation has not', () => {
  const known = knownBy(talk, title, asking('q begin', 'You are a friend.'));
  expect(known).toMatchObject({ tools: [], wantsJSON: false, words: new Set(['You are a friend.']) });
  expect(known?.beside).toEqual([new Set(['You write titles.', 'Write a title for:']), new Set()]);
  if (known === undefined) throw new Error('nothing is known');
  expect(isKnownBeside(title, known, said)).toBe(true);
  expect(isKnownBeside(talk, known, said)).toBe(false);
});

it.each([
  ['You are a friend.', false],
  ['You are a good friend.', false],
  ['You are a friend.\nThe following files have changed, and have to be looked at again: none', false],
  ['', false],
  ['Sum up what was said, in one sentence.', true],
])('instructions that say %j are other ones: %s', (system, isOther) => {
  const known = knownBy(talk);
  if (known === undefined) throw new Error('nothing is known');
  expect(isInstructedOtherwise(asking('q begin', system), known)).toBe(isOther);
});
