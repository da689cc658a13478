/**
 * An agent drawn with Ink: ESC stops it, and the status line is a component. Here the program stops itself; at a
 * terminal the person does.
 */
import { delay, InterruptController } from 'desist';
import { inkInterrupts } from 'desist/ink';
import * as ink from 'ink';
import react from 'react';

const { InterruptProvider, useInterrupt, StatusLine } = inkInterrupts({ react, ink });
const agent = new InterruptController({ name: 'Ada' });

function Chat(): react.ReactElement {
  return react.createElement(StatusLine, { of: useInterrupt(agent) });
}

const app = ink.render(react.createElement(InterruptProvider, null, react.createElement(Chat)), { exitOnCtrlC: false });
await app.waitUntilRenderFlush();
const turn = agent.runTurn(({ token }) => delay(token, 60_000));
agent.cancel();
await turn;
await app.waitUntilRenderFlush();
app.unmount();

// Output:
// Interrupted. Tell Ada what to do instead.
