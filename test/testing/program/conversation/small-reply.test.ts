import { expect, it } from 'vitest';

import { smallReply } from '../../../../src/testing/program/conversation/small-reply.ts';

const schema = {
  type: 'OBJECT',
  properties: {
    choice: { type: 'STRING', enum: ['small', 'large'] },
    why: { type: ['string', 'null'] },
    score: { type: 'integer' },
    is: { type: 'boolean' },
    all: { type: 'array' },
    none: { type: 'null' },
    inner: { properties: { a: {} } },
  },
};

it.each([
  { generationConfig: { responseJsonSchema: schema } },
  { generationConfig: { responseSchema: schema } },
  { response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } },
  { text: { format: { type: 'json_schema', schema } } },
  { output_format: { type: 'json_schema', schema } },
  { output_config: { format: { type: 'json_schema', schema } } },
  { format: schema },
])('who asks for JSON gets it, in every protocol: %j', (body) => {
  expect(JSON.parse(smallReply({ body }, 'Hello.'))).toEqual({
    ...{ choice: 'small', why: 'check', score: 1, is: false, all: [], none: null },
    inner: { a: {} },
  });
});

it('who asks for no form gets words, and a schema without an end has one here', () => {
  expect(smallReply({ body: { messages: [], text: { format: { type: 'text' } } } }, 'Hello.')).toBe('Hello.');
  const endless: Record<string, unknown> = { type: 'object' };
  endless['properties'] = { endless };
  expect(smallReply({ body: { format: endless } }, 'Hello.')).toContain('check');
});
