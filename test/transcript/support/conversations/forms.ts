/**
 * Every form that a conversation can have: the dialects, and the two kinds of messages of the AI SDK.
 *
 * @module
 */
import type { AnyFormat } from '../../../../src/testing/fast-check/transcripts/transcript.ts';
import { aiSDKUI } from '../../../../src/transcript/dialects/ai-sdk/index.ts';
import { dialectNames } from '../../../../src/transcript/dialects/table.ts';
import { dialectNamed } from '../../../../src/transcript/index.ts';
import type { AnyDialect } from '../arbitraries.ts';

/** One of them. */
export interface Form {
  readonly name: string;
  readonly dialect: AnyFormat<object>;
}

/** The dialect, where a model call can return its messages: not those of a page. */
export function loopOf(format: AnyFormat<object>): AnyDialect<object> | undefined {
  return 'calls' in format ? (format as AnyDialect<object>) : undefined;
}

/** Those that a conversation can be held in. */
export const dialectForms = dialectNames.map((name) => ({
  name,
  dialect: dialectNamed(name) as unknown as AnyDialect<object>,
}));

export const forms: readonly Form[] = [...dialectForms, { name: aiSDKUI.name, dialect: aiSDKUI as never }];
