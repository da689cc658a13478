/** What the writers are shown. */
import type { ConversationRound } from '../../../../../src/testing/fast-check/transcripts/conversation.ts';

const call = (mark: string, id: string | undefined, isHalf = false) => ({ mark, id, name: 'read', isHalf });

/** Three calls: one with a result, one without an id or a result, one that was cut; and a result of nobody. */
export const round: ConversationRound = {
  prompt: 'text<1>',
  replies: [{ text: 'text<2>', calls: [call('3', 'a'), call('4', undefined), call('5', '', true)] }],
  results: [
    { mark: '3', id: 'a', name: 'read', isOrphan: false },
    { mark: '6', id: 'nobody', name: 'read', isOrphan: true },
  ],
};

/** A reply without calls, and no results. */
export const silent: ConversationRound = { prompt: 'text<1>', replies: [{ text: 'text<2>', calls: [] }], results: [] };
