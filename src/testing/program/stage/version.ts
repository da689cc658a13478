/**
 * What a program says of its version: it is asked as any other run of it, and leaves as little.
 *
 * @module
 */
import { PipedProgram } from '../drivers/lines-driver.ts';
import { environmentOf, fillIn } from '../profile-places.ts';
import { Family } from './family.ts';
import type { StageSetup } from './stage.ts';

/** For so long it may think, on a machine of usual speed. */
const LIMIT_MS = 10_000;

/**
 * Asks for the version.
 *
 * @returns The first line that it says; nothing if it says none, or if the profile does not say how it is asked.
 * @throws CancelledError – nobody wants it any more; the program is gone by then.
 */
export async function versionOf(setup: StageSetup): Promise<string | undefined> {
  const { profile, home, work, patience } = setup;
  if (profile.version === undefined) return undefined;
  const places = { url: 'http://127.0.0.1:9', home, work, mcp: '' };
  const mark = `v${String(process.pid)}`;
  const env = { ...environmentOf(profile, places), DESIST_CHECK: mark };
  const program = new PipedProgram(fillIn(profile.version, places), { env, cwd: work });
  program.child.stdin?.end();
  let said = '';
  program.child.stdout?.on('data', (text: string) => (said += text));
  try {
    // Words without an end may be all: what it has started can hold its output open.
    const isSaid = (): boolean => said.includes('\n') || program.child.stdout?.readableEnded !== false;
    await patience.comes(() => program.end !== undefined && isSaid(), LIMIT_MS);
    return /\S.*/.exec(said)?.[0].trim();
  } finally {
    await program.close();
    await new Family(work, mark, [home, work]).end();
  }
}
