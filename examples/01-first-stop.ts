/**
 * A person presses Stop while a model is asked and a tool is running: both end, and you learn what became of each.
 */
import { CancellationTokenSource, delay, runUntilCancelled } from 'desist';
import { deafTool } from 'desist/testing';

// Whoever holds the source can stop the session; everybody else gets its token.
const session = new CancellationTokenSource({ name: 'session' });

// Two pieces of work: one listens to its token, as fetch and the model SDKs do with its signal; one does not.
const model = runUntilCancelled(session.token, ({ token }) => delay(token, 60_000), { name: 'ask the model' });
const tool = deafTool<string, string>();
const search = runUntilCancelled(session.token, ({ signal }) => tool.execute('every file', { signal }), {
  name: 'search',
  graceMs: 20,
});

session.token.onCancelled((reason) => console.log(`stop: ${reason.message} (${reason.kind})`));

console.log(`first stop counts: ${session.cancel({ kind: 'user', by: 'ada' })}`);
console.log(`second stop counts: ${session.cancel('shutdown')}`);

const asked = await model;
console.log(`model: ${asked.status}`);

// The tool has not stopped within its grace. It is named, and its end is not lost.
const searched = await search;
console.log(`search: ${searched.status}`);
tool.calls[0]?.finish('12 matches, too late');
if (searched.status === 'abandoned') {
  const late = await searched.late;
  console.log(`search, in the end: ${late.status === 'completed' ? late.value : late.status}`);
}

// Nothing starts after Stop.
const next = await runUntilCancelled(session.token, () => console.log('never printed'));
console.log(`next call: ${next.status}`);

// Output:
// stop: User cancelled (user)
// first stop counts: true
// second stop counts: false
// model: cancelled
// search: abandoned
// search, in the end: 12 matches, too late
// next call: cancelled
