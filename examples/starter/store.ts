/** Conversations on disk: a file each, written whole or not at all. */
import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Message } from './agent.ts';

const folder = '.starter';

/** Goes on with the newest conversation, or begins one. */
export function openStore(resume: boolean) {
  mkdirSync(folder, { recursive: true });
  const newest = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .at(-1);
  const isResumed = resume && newest !== undefined;
  const file = join(folder, isResumed ? newest : `${new Date().toISOString().replaceAll(':', '-')}.json`);
  return {
    messages: isResumed ? (JSON.parse(readFileSync(file, 'utf8')) as Message[]) : [],
    save(messages: readonly Message[]) {
      // A process that is killed in the middle leaves the file as it was.
      writeFileSync(`${file}.new`, JSON.stringify(messages));
      renameSync(`${file}.new`, file);
    },
  };
}
