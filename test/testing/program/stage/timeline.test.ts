import { expect, it } from 'vitest';

import { now } from '../../../../src/testing/model-server/request-record.ts';
import { Timeline } from '../../../../src/testing/program/stage/timeline.ts';

it('a timeline is in order of time, also if something was noted late', () => {
  const timeline = new Timeline();
  const at = now();
  timeline.note('model', 'second', at + 200);
  timeline.note('person', 'first', at + 100);
  expect(timeline.entries.map(({ who, what }) => `${who} ${what}`)).toEqual(['person first', 'model second']);
  expect(timeline.entries[1]!.atMs - timeline.entries[0]!.atMs).toBe(100);
});
