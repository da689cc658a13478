import { expect, it } from 'vitest';

import { BaseError, withoutStack } from '../../../src/core/foundation/error-base.ts';

it('an error is made without a stack unless one is asked for, and the limit is put back whatever the maker does', () => {
  const before = Error.stackTraceLimit;
  expect(withoutStack(false, () => new Error('x')).stack).toBe('Error: x');
  expect(withoutStack(true, () => new Error('x')).stack).toContain('error-base.test');
  expect(() => withoutStack(false, () => JSON.parse('{') as unknown)).toThrow(SyntaxError);
  expect(Error.stackTraceLimit).toBe(before);
  expect(BaseError).toBe(Error);
});
