/** One stop, two tools: one obeys, one is deaf. The recording says who was asked, and who is still running. */
import { InterruptController, delay } from 'desist';
import { record, timelineHtml, timelineText } from 'desist/inspect';
import { VirtualClock, deafTool } from 'desist/testing';

const clock = new VirtualClock({ startAt: 0 });
const agent = new InterruptController({ name: 'main', clock, graceMs: 200 });
using recording = record(agent, { clock });

const deaf = deafTool();
const turn = agent.runTurn(({ tools }) =>
  tools(
    [
      { id: 'c1', name: 'search' },
      { id: 'c2', name: 'deploy' },
    ],
    (call, { token, signal }) => (call.name === 'search' ? delay(token, 60_000) : deaf.execute(call, { signal })),
  ),
);
await clock.advance(100);
const stop = agent.cancel('user');
await clock.advance(300);
await Promise.all([stop.settled, turn]);

console.log(timelineText(recording.trace()));
console.log(`a page of its own: ${timelineHtml(recording.trace()).startsWith('<!doctype html>')}`);

// Output:
// cancel of main at 100 ms (user: User cancelled): settled after 200 ms, 1 STILL RUNNING
// turn 1         ========|===============........  cancelled, asked at 100 ms, ended at 300 ms
//   tool search  ========|.......................  cancelled, asked at 100 ms, ended at 100 ms
//   tool deploy  ========|=======================  still running, asked at 100 ms, given up at 300 ms
// a page of its own: true
