import { expect, it } from 'vitest';

import { KeptOutput } from '../../../../src/testing/program/drivers/kept-output.ts';

it('what was written after a place is found, however much has been let go', () => {
  const output = new KeptOutput();
  output.write('before');
  const place = output.total;
  expect([output.since(place), output.since(0), output.text]).toEqual(['', 'before', 'before']);
  for (let n = 0; n < 100; n++) output.write('x'.repeat(10_000));
  const late = output.total;
  output.write('after');
  expect([output.since(late), output.total]).toEqual(['after', 1_000_011]);
  expect(output.since(place)).toBe(output.text);
  expect(output.text.length).toBeLessThan(500_000);
});
