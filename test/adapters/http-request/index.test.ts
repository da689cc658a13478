import { expect, it } from 'vitest';
import * as door from '../../../src/adapters/http-request/index.ts';

it('opens these names', () => {
  expect(Object.keys(door).sort()).toEqual([
    'fromEvent',
    'fromRequest',
    'fromWebSocket',
    'statusHandler',
    'stopHandler',
  ]);
});
