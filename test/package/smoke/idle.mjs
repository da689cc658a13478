/**
 * Opening a door does nothing: no global changes, nobody listens to the process, nothing keeps it alive.
 * Prints what changed as JSON; `sideEffects: false` holds if that is nothing.
 *
 * @module
 */
const door = process.argv[2];
// What Node itself does when its own modules load is not the door's doing.
await Promise.all(['http', 'child_process', 'tty', 'readline', 'worker_threads'].map((name) => import(`node:${name}`)));
const globals = () => Reflect.ownKeys(globalThis).map(String);
const listeners = () => process.eventNames().map((name) => `${String(name)} ${process.listenerCount(name)}`);
const handles = () => process.getActiveResourcesInfo();
const look = () => ({ globals: globals(), listeners: listeners(), handles: handles() });

const before = look();
await import(door);
const after = look();
const changed = Object.fromEntries(
  Object.keys(before).map((key) => [key, after[key].filter((entry) => !before[key].includes(entry))]),
);
console.log(JSON.stringify(changed));
