/**
 * ESC in the agent's window, without a terminal that reads it. Where there is no display, as in CI, the hotkey says so in
 * one line, and the program goes on without it.
 */
import { InterruptController } from 'desist';
import { watchGlobalHotkey } from 'desist/global-hotkey';

const agent = new InterruptController({ name: 'main' });
const hotkey = watchGlobalHotkey(agent, { key: 'escape', unknownFocus: 'ignore' });

const state = await hotkey.ready;
if (state === 'unavailable') console.error(hotkey.unavailable?.message);
console.log('settled:', state === 'watching' || state === 'unavailable');

await hotkey.stop();
console.log(hotkey.state);

// Output:
// settled: true
// stopped
