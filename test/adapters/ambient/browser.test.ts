import { expect, it } from 'vitest';

import * as browser from '../../../src/adapters/ambient/browser.ts';
import * as ambient from '../../../src/adapters/ambient/index.ts';

it('the ambient door of browsers has every name of the other, and each says what is missing', () => {
  expect(Object.keys(browser).toSorted()).toEqual(Object.keys(ambient).toSorted());
  for (const fn of Object.values(browser) as (() => unknown)[]) expect(fn).toThrow('needs AsyncLocalStorage');
});
