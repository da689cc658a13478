import { expect, it } from 'vitest';
import { refuseGemini } from '../../../../src/testing/model-server/transcript-rules/gemini.ts';

const user = { role: 'user', parts: [{ text: 'Go.' }] };
const says = { role: 'model', parts: [{ text: 'Fine.' }] };
const call = (...names: string[]) => ({
  role: 'model',
  parts: names.map((name) => ({ functionCall: { name, args: {} } })),
});
const answer = (...names: string[]) => ({
  role: 'user',
  parts: names.map((name) => ({ functionResponse: { name, response: { output: 'ok' } } })),
});
const refuse = (...contents: object[]) => refuseGemini({ contents });

it('refuseGemini accepts clean rounds', () => {
  expect(refuse(user, call('a', 'b'), answer('a', 'b'), call('c'), answer('c'), says)).toBeUndefined();
  expect(refuse({ parts: [{ text: 'No role is the user’s.' }] })).toBeUndefined();
});

const count =
  'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.';

it.each([
  ['none at the end', [user, call('a')], count],
  ['one too few', [user, call('a', 'b'), answer('a')], count],
  ['one too many', [user, call('a'), answer('a', 'a')], count],
  ['none before the user speaks', [user, call('a'), user], count],
])('refuseGemini counts the responses: %s', (_name, contents, message) => {
  expect(refuse(...contents)).toBe(message);
});

it('refuseGemini wants responses directly after calls, and calls directly after the user', () => {
  const late = 'Please ensure that function response turn comes immediately after a function call turn.';
  expect(refuse(user, says, answer('a'))).toBe(late);
  expect(refuse(answer('a'))).toBe(late);
  const early =
    'Please ensure that function call turn comes immediately after a user turn or after a function response turn.';
  expect(refuse(call('a'), answer('a'))).toBe(early);
  expect(refuse(user, says, call('a'), answer('a'))).toBe(early);
});

it('refuseGemini wants responses alone in their turn', () => {
  const mixes = [
    [...answer('a').parts, ...user.parts],
    [...user.parts, ...answer('a').parts],
  ];
  for (const parts of mixes) {
    expect(refuse(user, call('a'), { role: 'user', parts })).toBe(
      'Requests ending with a model turn are not supported.',
    );
    expect(refuse(user, call('a'), { role: 'user', parts }, says, user)).toContain('not supported');
  }
  expect(refuse(user, call('a'), answer('a'), user, says)).toBeUndefined();
});

it('refuseGemini wants the order of the calls', () => {
  expect(refuse(user, call('a', 'b'), answer('b', 'a'))).toBe(
    'Please ensure that the function response parts are in the order of the function call parts of the function call turn.',
  );
  const withId = { role: 'model', parts: [{ functionCall: { id: '1', name: 'a' } }] };
  const other = { role: 'user', parts: [{ functionResponse: { id: '2', name: 'a', response: {} } }] };
  expect(refuse(user, withId, other)).toContain('in the order');
});

it('refuseGemini accepts several turns of one side in a row, as the API does', () => {
  expect(refuse(user, user)).toBeUndefined();
  expect(refuse(user, says, says)).toBeUndefined();
  expect(refuse(user, call('a'), answer('a'), user)).toBeUndefined();
});

it('refuseGemini wants parts with something in them', () => {
  expect(refuse({ role: 'assistant', parts: [] })).toBe('Please use a valid role: user, model.');
  expect(refuse()).toBe('* GenerateContentRequest.contents: contents is not specified\n');
  expect(refuse(user, { role: 'model', parts: [] })).toBe(
    '* GenerateContentRequest.contents[1].parts: contents.parts must not be empty.\n',
  );
  expect(refuse({ role: 'user', parts: [{ text: '' }] })).toBe(
    "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field\n",
  );
  expect(refuse(user, { role: 'model', parts: [{ text: '', thoughtSignature: 'x' }] })).toBeUndefined();
});

it('refuseGemini wants the signature of the current turn’s calls from Gemini 3 on', () => {
  const signed = { role: 'model', parts: [{ ...call('a').parts[0], thoughtSignature: 'x' }, ...call('b').parts] };
  const round = [user, call('a', 'b'), answer('a', 'b')];
  const ask = (contents: object[], model: string) => refuseGemini({ contents }, model);
  expect(ask(round, 'gemini-3-pro-preview')).toMatch(/missing a thought_signature.*`default_api:a` , position 2\.$/);
  expect(ask(round, 'gemini-2.5-pro')).toBeUndefined();
  expect(ask([user, signed, answer('a', 'b')], 'gemini-3-pro-preview')).toBeUndefined();
  // An older turn has done its thinking.
  expect(ask([...round, says, user], 'gemini-3-pro-preview')).toBeUndefined();
});
