/**
 * Looks for the first bad day on which something goes wrong, in a process of its own:
 * `node seek-day.ts <days> <mistakes of the backend, as JSON> <fair, foul, replicated, hasty or shared> <the first of them>`.
 *
 * @module
 */
import type { BackendMistakes } from './faulty-backend.ts';
import { liveThrough } from './protocol-world.ts';

const [days = '500', mistakes = '{}', weather = '', from = '1'] = process.argv.slice(2);
const isReplicated = weather === 'replicated';
const isHasty = weather === 'hasty';
const isShared = weather === 'shared';
const isFair = weather === '' || isHasty || isShared ? undefined : weather === 'fair';
let found: readonly string[] = [];
const first = Number(from);
for (let seed = first; seed < first + Number(days) && found.length === 0; seed++) {
  const { violations } = await liveThrough(seed, {
    mistakes: JSON.parse(mistakes) as BackendMistakes,
    isFair,
    isReplicated,
    isHasty,
    isShared,
  });
  found = violations;
}
process.stdout.write(found.join('\n'));
