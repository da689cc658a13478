/**
 * What the compiler says of turns: values are inferred, reports and outcomes narrow, nonsense is refused.
 */
import {
  InterruptController,
  guardTool,
  guardTools,
  type Answer,
  type CancelReason,
  type CancellationToken,
  type Delivery,
  type Interjection,
  type InterruptEvent,
  type InterruptState,
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
exactly<InterruptState>()(agent.state);
exactly<boolean>()(agent.interrupted);
exactly<Interruption | undefined>()(agent.interruption);
exactly<CancelReason | undefined>()(agent.consumeWasInterrupted());
exactly<StopReport | undefined>()(agent.lastReport);
exactly<CancellationToken>()(agent.token);
// @ts-expect-error -- read-only
agent.interrupted = true;

// The value of a turn is inferred from its body, and unwrapped once.
const sync = agent.runTurn(() => 7);
exactly<Promise<TurnReport<number>>>()(sync);
const async = agent.runTurn(async ({ id }) => String(id), {
  token: signal,
  whenBusy: 'supersede',
  ticket: agent.accept(),
});
exactly<Promise<TurnReport<string>>>()(async);
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

// interrupt() is the two halves under one name.
exactly<StopReceipt>()(agent.cancel());
const receipt: StopReceipt = agent.interrupt();
void agent.interrupt('cancel', { kind: 'user', by: 'ada' });
const message: Interjection = agent.interrupt('interjection', { any: 'thing' });
void [receipt.settled satisfies Promise<StopReport>, message.settled satisfies Promise<'delivered' | 'undelivered'>];
// @ts-expect-error -- a message is needed
void agent.interrupt('interjection');
// @ts-expect-error -- no such kind
void agent.interrupt('kill');
void agent.cancel('x', { turnId: 1 });
void agent.cancel({ kind: 'budget' }, { callId: 'c1' });
void agent.cancel(undefined, 'all');
// @ts-expect-error -- no such kind of reason
void agent.cancel({ kind: 'boredom' });
// @ts-expect-error -- a target is named
void agent.cancel('x', 'everything');
for (const delivery of ['now', 'after-current-tool', 'next-model-call', 'after-turn'] satisfies Delivery[]) {
  void agent.interject('x', { delivery });
}
// @ts-expect-error -- no such delivery
void agent.interject('x', { delivery: 'later' });

// Model outcomes: a value, or a partial that is not one.
void agent.runTurn(async (turn) => {
  exactly<Turn>()(turn);
  const reply = await turn.model(async (context) => {
    exactly<ModelContext>()(context);
    context.partial({ text: 'half' });
    return { text: 'whole' };
  });
  exactly<ModelOutcome<{ text: string }>>()(reply);
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
void agent.runTurn(async ({ tools, tool, ask }) => {
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
    if (outcome.status === 'declined') exactly<string | undefined>()(outcome.message);
    if (outcome.status === 'stopped') exactly<string | undefined>()(outcome.by);
    if (outcome.status === 'skipped') exactly<CancelReason>()(outcome.reason);
    // @ts-expect-error -- not every outcome has a value
    void outcome.value;
  }
  const one = await tool(calls[0] as Call, () => 'x');
  exactly<ToolOutcome<string, Call>>()(one);
  // @ts-expect-error -- no such mode
  void tools(calls, () => 1, { mode: 'serial' });

  const answer = await ask<'yes' | 'no'>((respond) => {
    exactly<boolean>()(respond('yes'));
    // @ts-expect-error -- no such answer
    respond('maybe');
  });
  exactly<Answer<'yes' | 'no'>>()(answer);
  if (answer.status === 'answered') exactly<'yes' | 'no'>()(answer.value);
  else exactly<CancelReason>()(answer.reason);
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

// A guarded tool is the tool: the same type, whatever it is.
const searchTool = {
  description: 'x',
  execute: async (_input: { query: string }, _o: { abortSignal: AbortSignal }) => 1,
};
exactly<typeof searchTool>()(guardTool(searchTool));
exactly<{ search: typeof searchTool }>()(guardTools({ search: searchTool }, { graceMs: 0, turn: undefined }));
exactly<(typeof searchTool)[]>()(guardTools([searchTool]));
// @ts-expect-error -- not a tool
guardTool('search');
// @ts-expect-error -- a misspelt option
guardTool(searchTool, { grace: 5 });
