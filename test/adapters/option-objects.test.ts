/** Every function of a door that takes options refuses what is none; `options.test.ts` compares the keys with the types. */
import { acpClient, acpSessions } from '../../src/adapters/acp/index.ts';
import { runAgent, serveRun } from '../../src/adapters/ag-ui/index.ts';
import * as aiSdk from '../../src/adapters/ai-sdk/index.ts';
import { cancellableIterable, sharedStream } from '../../src/adapters/async-iterator/index.ts';
import { openSession } from '../../src/adapters/claude-agent/index.ts';
import * as compose from '../../src/adapters/compose/index.ts';
import { cancellableFetch } from '../../src/adapters/fetch/index.ts';
import * as langchain from '../../src/adapters/langchain/index.ts';
import { cancellableCall, cancellableStream, foldAnthropic, readStream } from '../../src/adapters/llm/index.ts';
import { cancellableRequest, cancellableTask, fromExtra, restartableClient } from '../../src/adapters/mcp/index.ts';
import * as agents from '../../src/adapters/openai-agents/index.ts';
import { underTurn } from '../../src/adapters/pi/index.ts';
import { fromEditorToken, toEditorToken, withEditorToken } from '../../src/adapters/vscode/index.ts';
import { CancellationTokenSource, InterruptController } from '../../src/index.ts';
import { openaiChat } from '../../src/transcript/dialects/openai-chat/index.ts';
import { describeOptions, inTurn, type Taking } from '../support/option-objects.ts';
import { answering, FakePi, replyOf, textPart } from './pi/support/fake-pi.ts';

const { token } = new CancellationTokenSource();
const agent = new InterruptController();
async function* nothing(): AsyncGenerator<never> {
  // Ends at once.
}
const runnable = { invoke: () => Promise.resolve(1) };
const agentsModel = { getResponse: () => Promise.resolve(1), getStreamedResponse: nothing };
const agentsAgent = {
  tools: [],
  handoffs: [],
  clone(settings: object) {
    return { ...this, ...settings };
  },
};
const extra = { signal: new AbortController().signal, sendNotification: () => Promise.resolve() };
const run = (): void => undefined;
const call = 'graceMs, timeoutMs, idleMs, name, onProgress, onLateSettle';
const work = 'settle, graceMs, timeoutMs, idleMs, name, onLateSettle, isStop, clock';
const branches = 'name, timeoutMs, graceMs, clock, onSuppressed, onLateSettle';
const loop = 'graceMs, onInterject, dialect, aside, model';
const model = 'name, idleMs, graceMs, aside';
const named = { name: 'x' };
const brief = { graceMs: 1 };

const loops: Readonly<Record<string, Taking>> = {
  'ai-sdk underTurn': { use: (o) => inTurn((turn) => aiSdk.underTurn(turn, {}, o)), names: loop, right: brief },
  'the model in ai-sdk underTurn': {
    use: (o) => inTurn((turn) => aiSdk.underTurn(turn, {}, { model: o })),
    ...{ names: model, right: named, what: 'model' },
  },
  'openai-agents underTurn': {
    use: (o) => inTurn((turn) => agents.underTurn(turn, agentsAgent, o)),
    ...{ names: loop, right: brief },
  },
  'the model in openai-agents underTurn': {
    use: (o) => inTurn((turn) => agents.underTurn(turn, agentsAgent, { model: o })),
    ...{ names: model, right: named, what: 'model' },
  },
  'openai-agents turnModel': {
    use: (o) => inTurn((turn) => agents.turnModel(turn, agentsModel, o)),
    ...{ names: model, right: named },
  },
  'openai-agents turnProvider': {
    use: (o) => inTurn((turn) => agents.turnProvider(turn, { getModel: () => agentsModel }, o)),
    ...{ names: model, right: named },
  },
  'langchain turnModel': {
    use: (o) => inTurn((turn) => langchain.turnModel(turn, runnable, o)),
    ...{ names: model, right: named },
  },
  'langchain guardRunnable': {
    use: (o) => langchain.guardRunnable(runnable, o),
    ...{ names: 'turn, graceMs, name', right: named },
  },
  'langchain guardNode': {
    use: (o) => langchain.guardNode(() => 1, o),
    ...{ names: 'turn, graceMs, name', right: named },
  },
  'pi underTurn': {
    use: (o) => inTurn((turn) => underTurn(turn, new FakePi(answering(replyOf(textPart('hi')))), o)),
    ...{ names: 'dialect, graceMs, onInterject, model', right: { dialect: openaiChat } },
  },
  'the model in pi underTurn': {
    use: (o) =>
      inTurn((turn) =>
        underTurn(turn, new FakePi(answering(replyOf(textPart('hi')))), { dialect: openaiChat, model: o }),
      ),
    ...{ names: 'name, idleMs, graceMs', right: named, what: 'model' },
  },
  'ag-ui runAgent': {
    use: (o) =>
      runAgent(null, { runAgent: run, abortRun: run, setMessages: run, subscribe: run, messages: [] } as never, o),
    ...{ names: 'settle, cancel, parameters, graceMs, timeoutMs, idleMs', right: undefined },
  },
  'ag-ui serveRun': {
    use: (o) => serveRun(new InterruptController(), () => undefined, o),
    names: 'input, emit, dialect, ticket, token, whenBusy, budget',
    right: { input: { threadId: 't', runId: 'r' }, emit: () => undefined, dialect: openaiChat },
  },
  'claude-agent openSession': {
    use: (o) => openSession(agent, () => nothing() as never, o),
    ...{ names: 'dialect, options, queued, background, graceMs, idleMs, onMessage', right: undefined },
  },
};

const calls: Readonly<Record<string, Taking>> = {
  'async-iterator cancellableIterable': {
    use: (o) => cancellableIterable(null, nothing(), o).return(),
    ...{ names: 'graceMs, idleMs, onCut, mode, name, event, endOn, failOn', right: named },
  },
  'async-iterator sharedStream': {
    use: (o) => sharedStream(null, nothing(), o),
    ...{ names: 'graceMs, idleMs, onCut, maxLag, name, event, endOn, failOn', right: named },
  },
  'async-iterator sharedStream().reader': {
    use: (o) => sharedStream(null, nothing()).reader(null, o).return(),
    ...{ names: 'name, idleMs, onCut', right: named },
  },
  'fetch cancellableFetch': {
    // As for `fetch`, null is nothing.
    use: (o: object | null) => cancellableFetch('data:,x', o ?? ([] as object)),
    ...{ names: undefined, right: undefined, what: 'init' },
  },
  'llm cancellableCall': {
    use: (o) => cancellableCall(null, () => 1, o),
    ...{ names: 'timeoutMs, name, onLateSettle, fetch', right: named },
  },
  'llm cancellableStream': {
    use: (o) => cancellableStream(null, nothing, o).return(),
    ...{ names: 'fold, requireComplete, onCut, idleMs, timeoutMs, graceMs, name, fetch', right: named },
  },
  'llm readStream': {
    use: (o) => readStream(null, nothing, o),
    names: 'onProgress, fold, requireComplete, onCut, idleMs, timeoutMs, graceMs, name, fetch',
    right: { fold: foldAnthropic },
  },
  'compose all': { use: (o) => compose.all(null, [], o), names: branches, right: named },
  'compose race': { use: (o) => compose.race(null, [() => 1], o), names: branches, right: named },
  'compose spawn': { use: (o) => compose.spawn(null, () => 1, o), names: branches, right: named },
  'compose spawn(body)(context).fork': {
    use: (o) => compose.spawn(null, ({ fork }) => fork(() => 1, o).join()),
    ...{ names: 'name', right: named },
  },
  'compose execute': {
    use: (o) => {
      const resolving = (resolve: (value: number) => void): void => {
        resolve(1);
      };
      return compose.execute(null, resolving, o);
    },
    ...{ names: work, right: named },
  },
  'mcp cancellableRequest': { use: (o) => cancellableRequest(null, () => 1, o), names: call, right: named },
  'mcp cancellableTask': {
    use: (o) => cancellableTask(null, nothing, o),
    ...{ names: `cancelTask, onStatus, ${call}`, right: undefined },
  },
  'mcp fromExtra': { use: (o) => fromExtra(extra, o), names: 'token, onClose, server, name', right: named },
  'mcp fromExtra().request': { use: (o) => fromExtra(extra).request(() => 1, o), names: call, right: named },
  'mcp restartableClient': {
    use: (o) => restartableClient(() => ({ close: () => Promise.resolve() }) as never, o),
    ...{ names: 'afterCancel, graceMs, probe, onServerStopped, clock', right: brief },
  },
  'mcp restartableClient().request': {
    use: (o) =>
      restartableClient(() => ({ close: () => Promise.resolve() }) as never).request(null, () => Promise.resolve(1), o),
    ...{ names: call, right: undefined },
  },
  'acp acpClient': {
    use: (o) => acpClient(o),
    ...{ names: 'agentProcess, env, graceMs, onToolCallsCancelled, onAgentStopped, clock', right: brief },
  },
  'acp acpClient().prompt': {
    use: (o) => {
      const answers = { request: () => Promise.resolve({ stopReason: 'end' }), notify: () => undefined };
      return acpClient().prompt(null, { agent: answers, params: { sessionId: 's' } } as never, o);
    },
    ...{ names: 'graceMs, timeoutMs, idleMs', right: brief },
  },
  'acp acpSessions': {
    use: (o) => acpSessions(o),
    ...{ names: 'token, graceMs, whenBusy, onTurnEnd, clock', right: brief },
  },
  'vscode fromEditorToken': {
    use: (o) => {
      fromEditorToken(toEditorToken(token), o).dispose();
    },
    ...{ names: 'name, reason, parent, intervalMs, clock', right: named },
  },
  'vscode withEditorToken': { use: (o) => withEditorToken(null, () => 1, o), names: work, right: named },
};

describeOptions({ ...loops, ...calls });
