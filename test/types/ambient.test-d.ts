/**
 * What the compiler says of `desist/ambient`: results and signatures pass through.
 */
import { expectTypeOf, it } from 'vitest';

import { bind, currentToken, runWithToken } from '../../src/adapters/ambient/index.ts';
import type { CancellationToken, TokenLike } from '../../src/index.ts';

declare const maybe: TokenLike | null | undefined;

it('runWithToken returns what the function returns', () => {
  expectTypeOf(runWithToken(maybe, () => 7)).toEqualTypeOf<number>();
  expectTypeOf(runWithToken(maybe, async () => 'seven')).toEqualTypeOf<Promise<string>>();
  expectTypeOf(currentToken()).toEqualTypeOf<CancellationToken>();
  // @ts-expect-error called with nothing
  runWithToken(maybe, (n: number) => n);
  // @ts-expect-error whoever reads must not be able to cancel
  runWithToken({ cancel: () => true }, () => 7);
});

it('bind keeps the signature, this included', () => {
  const bound = bind((a: number, b?: string) => [a, b] as const);
  expectTypeOf(bound).parameters.toEqualTypeOf<[number, (string | undefined)?]>();
  expectTypeOf(bound).returns.toEqualTypeOf<readonly [number, string | undefined]>();
  const method = bind(function (this: { base: number }, n: number) {
    return this.base + n;
  });
  expectTypeOf(method).thisParameter.toEqualTypeOf<{ base: number }>();
  // @ts-expect-error seven is not a function
  bind(7);
});
