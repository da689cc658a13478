/**
 * What the compiler says of turns: values are inferred, reports and outcomes narrow, nonsense is refused.
 */
import {
  CancellationTokenSource,
  InterruptController,
  type CancelReason,
  type CancellationToken,
  type Delivery,
  type Interjection,
  type InterruptEvent,
  type Interruption,
  type ModelContext,
  type ModelOutcome,
  type PartialOutput,
  type StopReceipt,
  type StopReport,
  type ToolContext,
  type ToolOutcome,
  type ToolStatus,
  type Turn,
  type TurnReport,
  type TurnTicket,
} from 'desist';
import { guardTool, guardTools } from 'desist/guard';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
/** `exactly<B>()(value)` compiles only if the type of the value is B. */
declare function exactly<B>(): <A>(value: A, ...no: Same<A, B> extends true ? [] : [never]) => void;

declare const signal: AbortSignal;
declare const token: CancellationToken;

// Everything is optional, and may be undefined.
const agent = new InterruptController();
void new InterruptController({ name: undefined, token: undefined, undelivered: undefined, graceMs: undefined });
for (const outside of [token, signal, null, undefined]) void new InterruptController({ token: outside });
// @ts-expect-error -- no such policy
void new InterruptController({ undelivered: 'lose' });
// @ts-expect-error -- an AbortController is no token
void new InterruptController({ token: new AbortController() });
// @ts-expect-error -- a misspelt option
void new InterruptController({ gracems: 5 });

// What it shows is read-only.
exactly<'idle' | 'running' | 'interjecting' | 'cancelling' | 'killing'>()(agent.state);
exactly<boolean>()(agent.interrupted);
exactly<Interruption | undefined>()(agent.interruption);
exactly<CancelReason | undefined>()(agent.consumeWasInterrupted());
exactly<StopReport | undefined>()(agent.lastReport);
exactly<CancellationToken>()(agent.lifetime);
// @ts-expect-error -- read-only
agent.interrupted = true;

// The value of a turn is inferred from its body, and unwrapped once.
const sync = agent.runTurn(() => 7);
exactly<Promise<TurnReport<number, string>>>()(sync);
const async = agent.runTurn(async ({ id }) => String(id), {
  token: signal,
  whenBusy: 'supersede',
  ticket: agent.accept(),
});
exactly<Promise<TurnReport<string, string>>>()(async);
// @ts-expect-error -- a body is needed
void agent.runTurn();
// @ts-expect-error -- no such policy
void agent.runTurn(() => 1, { whenBusy: 'wait' });
exactly<TurnTicket>()(agent.accept());

// A report narrows by its status.
declare const report: TurnReport<number>;
if (report.status === 'completed') exactly<number>()(report.value);
if (report.status === 'cancelled') {
  exactly<CancelReason>()(report.reason);
  exactly<{ readonly value: number } | undefined>()(report.completed);
}
if (report.status === 'failed') exactly<unknown>()(report.error);
// @ts-expect-error -- not before it is known to be completed
void report.value;
exactly<number>()(report.unwrap());
exactly<readonly ToolOutcome[]>()(report.calls);
exactly<readonly PartialOutput[]>()(report.partials);
exactly<readonly Interjection[]>()(report.undelivered);
exactly<StopReport | undefined>()(report.stop);

// A stop has an aim by its name, and its functions are bound.
exactly<StopReceipt>()(agent.cancel());
const { cancel } = agent;
const receipt: StopReceipt = cancel({ kind: 'user', by: 'ada' });
const message: Interjection<string> = agent.interject('use pnpm');
void [
  receipt.settled satisfies Promise<StopReport>,
  message.settled satisfies Promise<'delivered' | 'undelivered' | 'withdrawn'>,
  message.withdraw() satisfies boolean,
];
// @ts-expect-error -- a message is needed
void agent.interject();
// @ts-expect-error -- what is sent is of the agent's own type
void agent.interject({ any: 'thing' });
void new InterruptController<{ any: string }>().interject({ any: 'thing' });
// @ts-expect-error -- there is one parameter: cancelCall() and ticket.cancel() aim
void agent.cancel('x', { turnId: 1 });
exactly<StopReceipt>()(agent.accept().cancel('x'));
void agent.cancelCall('c1', { kind: 'budget' });
void agent.cancelAll();
// @ts-expect-error -- a reason aims at nothing: cancelCall() does
void agent.cancel({ callId: 'c1' });
// @ts-expect-error -- neither does a turn's number: ticket.cancel() does
void agent.cancel({ turnId: 1 });
// @ts-expect-error -- what everything hangs on is the lifetime, which is no token for a request
void agent.token;
// @ts-expect-error -- how a message is delivered is an option by its name
void agent.interject('x', 'now');
// @ts-expect-error -- no such kind of reason
void agent.cancel({ kind: 'boredom' });
// @ts-expect-error -- there is one parameter: cancelAll() is everything
void agent.cancel('x', 'everything');
for (const delivery of ['now', 'after-current-tool', 'next-model-call', 'after-turn'] satisfies Delivery[]) {
  void agent.interject('x', { delivery });
}
// @ts-expect-error -- no such delivery
void agent.interject('x', { delivery: 'later' });

// Model outcomes: a value, or a partial that is not one.
void agent.runTurn(async (turn) => {
  exactly<Turn<string>>()(turn);
  const reply = await turn.model(async (context) => {
    exactly<ModelContext<string>>()(context);
    context.partial({ text: 'half' });
    return { text: 'whole' };
  });
  exactly<ModelOutcome<{ text: string }, string>>()(reply);
  if (reply.status === 'completed') exactly<{ text: string }>()(reply.value);
  else {
    exactly<unknown>()(reply.partial);
    exactly<CancelReason>()(reply.reason);
  }
  // @ts-expect-error -- cut output is no value
  void reply.value;
});

// Tool outcomes: call and result are inferred.
interface Call {
  id: string;
  name: string;
  input: { path: string };
}
declare const calls: readonly Call[];
void agent.runTurn(async ({ tools, tool }) => {
  const outcomes = await tools(
    calls,
    async (call, context) => {
      exactly<Call>()(call);
      exactly<ToolContext<Call>>()(context);
      exactly<Call>()(context.call);
      return call.input.path.length;
    },
    { mode: 'sequential', onInterject: 'cancel', graceMs: 5, identify: ({ id, name }) => ({ id, name }) },
  );
  exactly<ToolOutcome<number, Call>[]>()(outcomes);
  for (const outcome of outcomes) {
    exactly<ToolStatus>()(outcome.status);
    if (outcome.status === 'completed') exactly<number>()(outcome.value);
    if (outcome.status === 'failed') exactly<unknown>()(outcome.error);
    if (outcome.status === 'declined') exactly<string | undefined>()(outcome.userMessage);
    if (outcome.status === 'stopped') exactly<string | undefined>()(outcome.by);
    if (outcome.status === 'skipped') exactly<CancelReason>()(outcome.reason);
    // @ts-expect-error -- not every outcome has a value
    void outcome.value;
  }
  const one = await tool(calls[0] as Call, () => 'x');
  exactly<ToolOutcome<string, Call>>()(one);
  // @ts-expect-error -- no such mode
  void tools(calls, () => 1, { mode: 'serial' });

  await tool(calls[0] as Call, async (_call, { ask }) => {
    const answer = await ask<'yes' | 'no'>((respond) => {
      exactly<boolean>()(respond('yes'));
      // @ts-expect-error -- no such answer
      respond('maybe');
    });
    exactly<'yes' | 'no'>()(answer);
  });
});

// A declined call ends there; a sub-agent is an agent.
void agent.runTurn(({ tool }) =>
  tool(calls[0] as Call, (_call, { decline, subagent }) => {
    const child = subagent('sub', { detached: true, onChildInterrupted: 'contain', onParentInterject: 'finish' });
    exactly<InterruptController>()(child);
    exactly<(message?: string) => never>()(decline);
    return 1;
  }),
);
// @ts-expect-error -- no such policy
void agent.child('sub', { onChildInterrupted: 'ignore' });

// Events narrow by their type.
agent.onEvent((event: InterruptEvent) => {
  exactly<string>()(event.agent);
  if (event.type === 'tool-outcome') exactly<ToolOutcome>()(event.outcome);
  if (event.type === 'turn-ended') exactly<'completed' | 'cancelled' | 'failed'>()(event.status);
  if (event.type === 'interrupt-propagated') exactly<string>()(event.child);
});

// It can be disposed of.
async function session(): Promise<void> {
  await using own = new InterruptController();
  void own;
}
void session;
exactly<Promise<StopReport>>()(agent.close());

// A class of the application's own, whatever its messages are.
class Chat extends InterruptController<{ text: string }> {
  readonly title = 'chat';
}
exactly<readonly Interjection<{ text: string }>[]>()(new Chat({ name: 'chat' }).queued);
// @ts-expect-error -- messages are objects
new Chat().interject('hello');
declare const anything: unknown;
if (anything instanceof InterruptController) void anything.cancel().settled;

// A guarded tool is the tool: the same type, whatever it is.
const searchTool = {
  description: 'x',
  execute: async (_input: { query: string }, _o: { abortSignal: AbortSignal }) => 1,
};
exactly<typeof searchTool>()(guardTool(searchTool));
exactly<{ search: typeof searchTool }>()(guardTools({ search: searchTool }, { graceMs: 0, turn: undefined }));
exactly<(typeof searchTool)[]>()(guardTools([searchTool]));
// @ts-expect-error -- tools by their names, or a list of them
guardTools(() => 1);
// @ts-expect-error -- not a tool
guardTool('search');
// @ts-expect-error -- a misspelt option
guardTool(searchTool, { grace: 5 });
// @ts-expect-error -- a token in the place of options would be as silent as none
void (() => new InterruptController(new CancellationTokenSource().token));
