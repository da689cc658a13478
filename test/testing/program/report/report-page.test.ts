import { expect, it } from 'vitest';

import { reportPage } from '../../../../src/testing/program/report/report-page.ts';
import { sampleReport } from './sample-report.ts';

it('a page has a timeline per run and its evidence, loads nothing, and takes no text for markup', () => {
  const page = reportPage(sampleReport);
  expect(page).toContain('<h1>Does agent &#60;x&#62; stop?</h1>');
  expect(page).toContain('<b style="left:100.00%" title="50 ms: presses &#60;stop&#62;"></b>');
  expect(page.match(/<details>/g)).toHaveLength(3);
  for (const text of ['unanswered', 'sleep 600', 'tool result: done', 'hello &#38; good-bye', 'it has no window'])
    expect(page).toContain(text);
  expect(page).not.toMatch(/<script|\ssrc=|\shref=|url\(/);
});
