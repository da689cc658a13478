/**
 * What has to be known of a program before it can be checked from outside: how it is started, how it is spoken to, how it is
 * stopped, and what it promises. Declarative, so that a profile is JSON as well as TypeScript.
 *
 * @module
 */

/**
 * Promises that a profile can make. What every program owes its user is checked without one; for these designs differ, so what
 * breaks one is a note, and a failure only where the profile promises it.
 *
 * @since 0.1.0
 */
export type ProgramPromise =
  | 'tree-after-stop'
  | 'tree-after-quit'
  | 'tree-after-terminate'
  | 'tree-after-hangup'
  | 'tree-after-kill'
  | 'batch'
  | 'told'
  | 'screen';

/**
 * A program, as the check has to know it. In every text `{url}` is the model server, `{home}` and `{work}` are the program's empty
 * home and its working folder, `{node}` is the running Node, `{cwd}` is the folder in which the check was started and `{mcp}` is a deaf MCP server, a script for Node.
 *
 * @since 0.1.0
 */
export interface ProgramProfile {
  /** How the report calls it; by default the command's last part of the path. */
  readonly name?: string | undefined;
  /**
   * The program and its arguments. `{prompt}` in one of them makes a program that takes one prompt and ends. One that asks for its prompt is
   * taken for such a program if it ends with 0 once that is answered; one that ends otherwise has crashed, and is not checked.
   */
  readonly command: readonly string[];
  /**
   * Starts it again with the conversation of before; without it "stop, quit, resume" does not apply. Through `acp` the session is loaded, if
   * the program can do that; default `command`.
   */
  readonly resume?: readonly string[] | undefined;
  /** How it is asked for its version. */
  readonly version?: readonly string[] | undefined;
  /** Variables beside the given ones, which point the SDKs of all providers at the model server. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Files by their path in the home, or by an absolute one that begins with `{work}`; what is no text is written as JSON. */
  readonly files?: Readonly<Record<string, unknown>> | undefined;
  /**
   * How it is spoken to: by keys in a terminal, by lines on its standard input, or in the Agent Client Protocol. Default `terminal`; of
   * a program that takes one prompt and ends `lines`.
   */
  readonly through?: 'terminal' | 'lines' | 'acp' | undefined;
  /** A regular expression for the screen of a program that waits for a prompt; by default it is waited until it is quiet. */
  readonly ready?: string | undefined;
  /** Milliseconds to wait once it is ready. Default 0. */
  readonly settleMs?: number | undefined;
  /** Keys pressed before the first prompt, for example to leave a page of greetings. */
  readonly setup?: readonly string[] | undefined;
  /** Keys that stop it, pressed one after the other; without a terminal a signal's name. Default ESC, or `SIGINT`. */
  readonly stop?: readonly string[] | undefined;
  /** What submits a prompt. Default Return. */
  readonly submit?: string | undefined;
  /** Keys that leave it, one after the other. Default Ctrl+C twice. */
  readonly quit?: readonly string[] | undefined;
  /** Keys that allow a tool call, tried one after the other until the command runs. */
  readonly approve?: readonly string[] | undefined;
  /** The name of its tool that runs commands, where it is not found by its name and its schema. */
  readonly shell?: string | undefined;
  /** A tool of a deaf MCP server, and its input; without it, and without `{mcp}` in a file, that check does not apply, nor with it beside `approve`. */
  readonly mcp?: { readonly tool: string; readonly input?: Readonly<Record<string, unknown>> | undefined } | undefined;
  /** What it promises beyond what every program owes. */
  readonly promises?: readonly ProgramPromise[] | undefined;
}

/** Whether every prompt is a program of its own. */
export function takesOnePrompt({ command }: Pick<ProgramProfile, 'command'>): boolean {
  return command.some((word) => word.includes('{prompt}'));
}

/** How it is spoken to. */
export function throughOf(profile: Pick<ProgramProfile, 'command' | 'through'>): 'terminal' | 'lines' | 'acp' {
  return profile.through ?? (takesOnePrompt(profile) ? 'lines' : 'terminal');
}

/** The pattern of a screen that waits for a prompt. */
export function readyPattern(text: string): RegExp {
  try {
    return new RegExp(text, 'u');
  } catch (error) {
    throw new RangeError(`ready of a profile must be a regular expression, got ${JSON.stringify(text)}`, {
      cause: error,
    });
  }
}
