import { expect, it } from 'vitest';
import { InterjectedError } from '../../../../src/adapters/internal/framework/interjected-error.ts';
import { classify, createReason } from '../../../../src/core/inside.ts';

it('is a failure of the answer, and no stop', () => {
  const reason = createReason({ kind: 'interjection' });
  const error = new InterjectedError(reason);
  expect(error).toMatchObject({ name: 'InterjectedError', reason });
  expect(String(error)).toBe('InterjectedError: A message cut the answer, and a part of it had been given out');
  expect(classify(error)).toMatchObject({ status: 'failure' });
});
