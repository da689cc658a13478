/**
 * What arrives where when a program is asked one thing: the first step to a profile.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireOptions, tokenOf, type OptionNames, type TokenLike } from '../../core/inside.ts';
import { toolNamesOf } from '../model-server/reading/main-requests.ts';
import type { ModelDialect } from '../model-server/reading/history.ts';
import type { UnknownRequest } from '../model-server/request-record.ts';
import { terminalsFor } from './check-program.ts';
import type { PseudoTerminals } from './outside/pseudo-terminal.ts';
import { readProfile } from './profile-reading.ts';
import type { ProgramProfile } from './profile.ts';
import { Unplayed } from './stage/findings.ts';
import { Patience } from './stage/patience.ts';
import { shellToolOf } from './stage/named-tools.ts';
import { smallReply } from './conversation/small-reply.ts';
import { Stage } from './stage/stage.ts';

/**
 * What was seen of a program that was asked one thing.
 *
 * @since 0.1.0
 */
export interface ProgramProbe {
  /** Whether it could be spoken to. */
  readonly isReady: boolean;
  /** What stood on its screen before it was spoken to: where a pattern for `ready` is found. */
  readonly greeting: string;
  /** What stands on it now. */
  readonly screen: string;
  /** Requests to the model: the protocol, the names of the tools, and which of them runs commands. */
  readonly requests: readonly {
    readonly dialect: ModelDialect;
    readonly tools: readonly string[];
    readonly shell: string | undefined;
    readonly refusal: string | undefined;
  }[];
  /** Requests to other paths. */
  readonly unknownRequests: readonly UnknownRequest[];
  /** The exit code, if it has ended. */
  readonly exitCode: number | undefined;
}

/**
 * Options of {@link probeProgram}.
 *
 * @since 0.1.0
 */
export interface ProbeProgramOptions {
  /** The package that makes pseudo-terminals; by default `@lydell/node-pty` or `node-pty` is looked up. */
  readonly terminals?: PseudoTerminals | undefined;
  /** Cancelling it ends the probe: what runs is killed, what was made is removed, and the call rejects. */
  readonly token?: TokenLike | undefined;
}

/**
 * Starts a program, says one thing, and shows what arrived where and what its screen says.
 *
 * @checkpoint always – with a token
 * @cleanup Its processes, sockets and files are gone when it resolves.
 * @param profile The program, as far as it is known: a command is enough.
 * @param options The package that makes pseudo-terminals, and a token.
 * @returns What was seen.
 * @throws TypeError, RangeError – a profile that makes no sense. Error – there is no pseudo-terminal. CancelledError –
 * the token was cancelled; everything is gone by then.
 * @since 0.1.0
 */
export async function probeProgram(profile: ProgramProfile, options: ProbeProgramOptions = {}): Promise<ProgramProbe> {
  readProfile(profile);
  requireOptions(options, { terminals: 1, token: 1 } satisfies OptionNames<ProbeProgramOptions>);
  const terminals = await terminalsFor(profile, options.terminals);
  const patience = await Patience.begin(options.token === undefined ? undefined : tokenOf(options.token));
  const folder = mkdtempSync(join(tmpdir(), 'desist-check-'));
  const [home, work] = [join(folder, 'home'), join(folder, 'work')];
  for (const path of [home, work]) mkdirSync(path);
  const setup = { profile, terminals, home, work, watchMs: 1000, goneMs: 1000, patience };
  const stage = await Stage.open(setup, (request) => smallReply(request, 'Hello.'));
  let isReady = true;
  let greeting = '';
  try {
    try {
      await stage.start();
      greeting = stage.driver.screen;
      await stage.say('begin');
      await stage.until(() => stage.main.length > 0 || stage.driver.end !== undefined, 8000);
      await stage.settled();
    } catch (error) {
      if (!(error instanceof Unplayed)) throw error;
      isReady = false;
    }
    const requests = stage.server.requests.map((request) => ({
      dialect: request.dialect,
      tools: toolNamesOf(request),
      shell: shellToolOf(request, profile)?.name,
      refusal: request.refusal,
    }));
    const { screen, end } = stage.driver;
    const { unknownRequests } = stage.server;
    return { isReady, greeting, screen, requests, unknownRequests: [...unknownRequests], exitCode: end?.code };
  } finally {
    await stage.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  }
}
