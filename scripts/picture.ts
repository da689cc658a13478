/**
 * The picture in the README: a real recording of one stop, drawn by `timelineHtml` and photographed in Chromium.
 * `node scripts/picture.ts` writes it anew; run it after a change of the page.
 *
 * @module
 */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { InterruptController, delay } from 'desist';
import { record, timelineHtml, type Trace } from 'desist/inspect';
import { VirtualClock, deafTool } from 'desist/testing';

import { launchBrowser } from '../test/support/browser.ts';
import { root } from './gates/run.ts';

const picture = join(root, 'docs/images/timeline.png');

/** An agent that works for a while, is stopped, and has one tool that does not listen. */
async function recordStop(): Promise<Trace> {
  const clock = new VirtualClock({ startAt: 0 });
  const agent = new InterruptController({ name: 'main', clock, graceMs: 1_000 });
  using recording = record(agent, { clock });
  const deaf = deafTool();
  const turn = agent.runTurn(async ({ model, tools, token }) => {
    await model(() => delay(token, 600));
    const calls = [
      { id: 'c1', name: 'read_file', ms: 350 },
      { id: 'c2', name: 'npm test', ms: 60_000 },
      { id: 'c3', name: 'deploy', ms: 0 },
      { id: 'c4', name: 'explore', ms: 60_000 },
    ];
    await tools(calls, async (call, { token: own, subagent }) => {
      if (call.name === 'deploy') return deaf.execute(call);
      if (call.name !== 'explore') return delay(own, call.ms);
      return subagent('explore').runTurn(async (inner) => {
        await inner.model(() => delay(inner.token, 400));
        await inner.tool({ id: 'x1', name: 'grep' }, (_call, context) => delay(context.token, 60_000));
      });
    });
  });
  await clock.advance(1_900);
  const stop = agent.cancel({ kind: 'user', message: 'ESC was pressed' });
  await clock.advance(1_500);
  await Promise.all([stop.settled, turn]);
  return recording.trace();
}

const browser = await launchBrowser();
try {
  const page = await browser.open('about:blank');
  await page.setViewportSize({ width: 1000, height: 200 });
  await page.setContent(timelineHtml(await recordStop()));
  mkdirSync(dirname(picture), { recursive: true });
  await page.screenshot({ path: picture, fullPage: true });
} finally {
  await browser.close();
}
console.log(picture);
