/**
 * What a dialect is to its user: a value from a door of its own, with all that a loop needs of it.
 * Apart from the rules behind it, which only settling and checking read.
 *
 * @module
 */
import type { CancelReason, ToolOutcome } from './from-core.ts';

/**
 * One place where a transcript breaks a rule.
 *
 * @since 0.1.0
 */
export interface TranscriptViolation {
  /** The index of the message. */
  readonly at: number;
  /** The name of the rule. */
  readonly rule: string;
  /** What is wrong, in words. */
  readonly what: string;
}

/**
 * A tool call in one shape, whatever the provider's is: `turn.tools` takes it as it is.
 *
 * @since 0.1.0
 */
export interface TranscriptCall {
  /** The provider's id; where it gives none, one that is derived from the place of the call. */
  readonly id: string;
  readonly name: string;
  /** The arguments: parsed, if they are whole; else the text as it came. */
  readonly input: unknown;
  /** The call in the provider's own shape. */
  readonly raw: object;
}

/**
 * What keeps the ids and the names of calls as a server made them: `normalise`, the default, changes those that the
 * provider refuses; `keep` is for servers that speak the dialect and have ids of their own.
 *
 * @since 0.1.0
 */
export type IdPolicy = 'keep' | 'normalise';

/**
 * How the messages of one kind have to look: enough to repair and to check a list of them.
 *
 * `M` is what it takes for a message, `A` what settling adds to a transcript that has other types.
 *
 * @since 0.1.0
 */
export interface MessageFormat<M, A = never> {
  /** For `dialectNamed`, for a log. */
  readonly name: string;
  /**
   * Lists every rule of the provider that a transcript breaks, as `checkTranscript` does.
   *
   * @throws TypeError – `messages` is not a list of messages.
   */
  check(messages: readonly M[], options?: { readonly ids?: IdPolicy | undefined }): readonly TranscriptViolation[];
  /** @internal What settling and checking read; it may change with every version. */
  readonly rules: DialectRulesOf<M, A>;
}

/**
 * One provider's format: what the next request has to look like, and what a loop needs besides.
 *
 * @since 0.1.0
 */
export interface TranscriptDialect<M, A = never> extends MessageFormat<M, A> {
  /**
   * The calls of a reply that may run: of a cut one, none, nor of a fold that is not complete.
   *
   * @param reply What `turn.model` resolved with, or a whole reply of the provider, or a fold of `desist/llm`.
   * @throws TypeError – a value in which this dialect finds no reply.
   */
  calls(reply: unknown): readonly TranscriptCall[];
  /** @internal For doors that have a place for a text and for no message; it may change with every version. */
  readonly texts: DialectTexts;
}

/** @internal The words themselves: a message may be of the caller's own type, and nobody else can read it. */
export interface DialectTexts {
  /** What the model reads of a call. */
  outcome(outcome: ToolOutcome, reason: Pick<CancelReason, 'kind'> | undefined): string;
  /** What was said of a reply, and a mark that it was cut. */
  cut(said: string, reason: Pick<CancelReason, 'kind'>): string;
}

/** @internal Opaque, so that no version of the package promises what is inside. */
export interface DialectRulesOf<M, A> {
  readonly takes?: ((message: M) => void) | undefined;
  readonly adds?: (() => A) | undefined;
}
