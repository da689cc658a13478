/**
 * Looks for the first bad day on which something goes wrong with a stop of a group, in a process of its own:
 * `node seek-group-day.ts <days>`.
 *
 * @module
 */
import { liveInGroups } from './group-world.ts';

const [days = '500'] = process.argv.slice(2);
let found: readonly string[] = [];
for (let seed = 1; seed <= Number(days) && found.length === 0; seed++) found = (await liveInGroups(seed)).violations;
process.stdout.write(found.join('\n'));
