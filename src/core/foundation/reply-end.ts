/**
 * How a reply of a model ended, by the words of all providers: who takes a reply apart, as it came or from its stream,
 * decides by this and by nothing else.
 *
 * @module
 */

/**
 * `whole` the model came to its end · `paused` the provider goes on once it is sent back · `limit` · `refused` a filter or a
 * refusal stopped it · `failed` · `unfinished` more of it is to come, or was lost · `other` a word that is not known · `unknown` nobody said.
 */
export type ReplyEnd = 'whole' | 'paused' | 'limit' | 'refused' | 'failed' | 'unfinished' | 'other' | 'unknown';

const words: Readonly<Partial<Record<ReplyEnd, RegExp>>> = {
  whole:
    /^(?:(?:finish_reason_)?stop(?:_sequence|ped)?|(?:end_turn|eos)(?:_token)?|(?:tool|function)_(?:calls?|use)|completed?|done)$/,
  paused: /^pause_turn$/,
  limit: /^(?:max_(?:output_)?tokens|model_context_window_exceeded|(?:model_)?length|incomplete)$/,
  refused:
    /^(?:content_filter(?:ed)?|refusal|(?:malformed_function|unexpected_tool|too_many_tool)_calls?|guardrail_intervened|sensitive|blocklist|spii|language|(?:image_)?(?:safety|recitation|prohibited_content))$/,
  failed: /^(?:failed|cancelled|(?:network_)?error|insufficient_system_resource)$/,
  unfinished: /^(?:queued|in_progress)$/,
};

/** What a provider's word says; each word that is not known is of some other end. */
export function replyEnd(word: unknown): ReplyEnd {
  if (typeof word !== 'string' || word === '') return 'unknown';
  const plain = word.toLowerCase().replaceAll('-', '_');
  return (Object.keys(words) as ReplyEnd[]).find((end) => words[end]?.test(plain)) ?? 'other';
}

/** Whether a reply may have ended inside a call: what cannot be read of one is not what the model wrote wrong. */
export function isCutShort(end: ReplyEnd): boolean {
  return end !== 'whole' && end !== 'paused' && end !== 'unknown';
}
