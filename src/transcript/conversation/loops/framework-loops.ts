/**
 * What of a conversation only loops need that a framework owns. The dialect of a framework brings it along, so that nobody else
 * has it in a bundle.
 *
 * @module
 */
import { LoopCalls } from './loop-calls.ts';
import { openCallsIn, openReply } from '../waiting/open-calls.ts';
import { recorderFor } from './recorder.ts';
import { Answers } from '../waiting/answers.ts';
import { WaitingCalls } from '../waiting/waiting-calls.ts';

/** What they are made of. */
export interface FrameworkLoops {
  readonly LoopCalls: typeof LoopCalls;
  readonly Answers: typeof Answers;
  readonly WaitingCalls: typeof WaitingCalls;
  readonly recorderFor: typeof recorderFor;
  readonly openCallsIn: typeof openCallsIn;
  readonly openReply: typeof openReply;
}

/** For the rules of a framework's dialect. */
export const frameworkLoops: FrameworkLoops = {
  LoopCalls,
  Answers,
  WaitingCalls,
  recorderFor,
  openCallsIn,
  openReply,
};
