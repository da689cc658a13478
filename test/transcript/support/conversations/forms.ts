/**
 * Every form that a conversation can have: the dialects, and the two kinds of messages of the AI SDK.
 *
 * @module
 */
import type { TranscriptConstraints } from '../../../../src/testing/fast-check/transcripts/transcript.ts';
import { dialectNames } from '../../../../src/transcript/dialects/table.ts';
import { dialectNamed } from '../../../../src/transcript/index.ts';
import type { AnyDialect } from '../arbitraries.ts';

/** One of them. */
export interface Form {
  readonly name: string;
  readonly dialect: AnyDialect<object>;
  readonly form?: TranscriptConstraints['form'];
}

const models = dialectNames.map((name): Form => ({ name, dialect: dialectNamed(name) as never }));

export const forms: readonly Form[] = [
  ...models,
  { name: 'ai-sdk, a chat', dialect: dialectNamed('ai-sdk') as never, form: 'ui' },
];
