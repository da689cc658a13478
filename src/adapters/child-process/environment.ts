/**
 * The environment a tool is started with: the caller's, settings that keep tools from waiting for a person, and the
 * marker by which stray descendants are recognised. Prior art: Jenkins' `BUILD_ID`; the environment that coding
 * agents give to their shell tool.
 *
 * @module
 */
import { markerVariable } from '../internal/process/process-snapshot.ts';
import { lineageOf, newMarker } from '../internal/process/run-marker.ts';

/** Nobody sits at the tool's keyboard: an editor, a password prompt or a pager would wait for ever. */
const quietTools = {
  GIT_EDITOR: 'true',
  GIT_TERMINAL_PROMPT: '0',
  PAGER: 'cat',
} as const satisfies NodeJS.ProcessEnv;

/**
 * Builds the environment of one run.
 *
 * @param given `options.env`: what stands in it or is inherited by it is kept, as is what it sets to `undefined`. Without it the
 * parent's environment is the base, and the quiet settings replace the parent's own: those were meant for a person.
 * @param marker Names this run; runs started inside another run keep its name too.
 * @param parent `process.env`.
 */
export function toolEnvironment(
  given: NodeJS.ProcessEnv | undefined,
  marker: string,
  parent: NodeJS.ProcessEnv,
): NodeJS.ProcessEnv {
  const base = given === undefined ? { ...parent, ...quietTools } : { ...quietTools, ...withInherited(given) };
  return { ...base, [markerVariable]: lineageOf(marker, parent) };
}

/** Node passes on what an environment inherits, so that one can be layered over another. */
function withInherited(given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const names: string[] = [];
  for (const name in given) names.push(name);
  return Object.fromEntries(names.map((name) => [name, given[name]]));
}

/**
 * What to put into the environment of a process that somebody else is going to start, so that {@link adopt} finds its
 * daemons too: those that left its group and lost their parents.
 *
 * @returns One variable, with another value each time.
 * @example
 * ```ts
 * import { spawn } from 'node:child_process'
 * import { adopt, markedEnvironment } from 'desist/child-process'
 *
 * const child = spawn('true', { detached: true, env: { ...process.env, ...markedEnvironment() } })
 * const { exitCode } = await adopt(child)
 * exitCode // => 0
 * ```
 * @source Jenkins `BUILD_ID`
 * @since 0.1.0
 */
export function markedEnvironment(): Record<string, string> {
  return { [markerVariable]: lineageOf(newMarker(), process.env) };
}
