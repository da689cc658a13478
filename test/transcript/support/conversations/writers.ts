/**
 * What writes the rounds and replies that a test makes by hand, in every form.
 *
 * @module
 */
import type {
  ConversationReply,
  ConversationRound,
} from '../../../../src/testing/fast-check/transcripts/conversation.ts';
import { writeRound, writerOf } from '../../../../src/testing/fast-check/transcripts/writers/index.ts';
import { forms, type Form } from './forms.ts';
import { sights, type Json, type Sight } from './sights.ts';

/** What writes one form, and what a judge sees of it. */
export interface FormWriter extends Form {
  readonly round: (round: ConversationRound) => readonly object[];
  /** One reply: a message, or its items. */
  readonly reply: (reply: ConversationReply) => object | readonly object[];
  readonly see: (messages: readonly Json[]) => readonly Sight[];
}

const ofItems = new Set(['openai-responses', 'openai-agents']);

/** The writer of a form. */
export function formWriter(form: Form): FormWriter {
  const writer = writerOf(form.name);
  const see = sights[form.name];
  if (see === undefined) throw new TypeError(`nobody sees anything in ${form.name}`);
  return {
    ...form,
    round: (round) => writeRound(writer, round),
    reply: (reply) => {
      const said = writer.reply(reply, []);
      return ofItems.has(form.name) ? said : (said[0] as object);
    },
    see,
  };
}

/** All of them. */
export const formWriters: readonly FormWriter[] = forms.map(formWriter);
