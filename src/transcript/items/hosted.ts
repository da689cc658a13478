/**
 * The calls that the provider runs itself, as items: each says itself how far it had come, but for commands in a container,
 * whose output is an item of its own.
 *
 * @module
 */
import { hostedCalls, type HostedCalls, type HostedStep } from '../reading/hosted-calls.ts';
import { field, textIn } from '../reading/fields.ts';
import {
  askText,
  callIdOf,
  isCall,
  isHosted,
  isOutput,
  isRemote,
  nameOf,
  typeOf,
  type OpenAIResponsesItem,
} from './item.ts';
import { responsesTurns } from './replies.ts';

/** What a response had not ended no other response ends. */
export const itemsHosted: HostedCalls<OpenAIResponsesItem> = /* @__PURE__ */ hostedCalls<OpenAIResponsesItem>({
  stepsIn(item): readonly HostedStep[] {
    const id = callIdOf(item);
    if (isOutput(item)) return [{ part: item, id, kind: 'ended' }];
    if (!(isCall(item) ? isRemote(item) : isCallOfTool(item))) return [];
    const name = (textIn(field(item, 'name')) ?? nameOf(item))?.replace(/_call$/, '');
    const begun: HostedStep = { part: item, id: isCall(item) ? id : item, kind: 'begun', name };
    return isCall(item) || isUnended(item) ? [begun] : [begun, { ...begun, kind: 'ended' }];
  },
  without: () => undefined,
  turns: responsesTurns,
  user: askText,
  resultIn: 'reply',
});

/** Whether a call is complete in itself. A program goes on in the next reply, and says nothing of it. */
function isCallOfTool(item: OpenAIResponsesItem): boolean {
  return isHosted(item) && typeOf(item).endsWith('_call') && !/^program/.test(String(field(item, 'kind')));
}

/** Whether a call says that it has not ended. */
function isUnended(item: OpenAIResponsesItem): boolean {
  const status = field(item, 'status');
  return typeof status === 'string' && status !== 'completed' && status !== 'failed';
}
