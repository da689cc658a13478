/**
 * The door `desist/testing`: what tests of cancellable code need, for users and for this package alike.
 *
 * @module desist/testing
 */
export {
  cancelAtEvery,
  type CancelAtEveryOptions,
  type CutError,
  type CutReplay,
  type CutRun,
  type CutScenario,
} from './cancel-at-every.ts';
export { VirtualClock, type RunAllOptions, type VirtualClockOptions } from './virtual-clock.ts';
export {
  leakCheck,
  type Leak,
  type LeakCheck,
  type LeakCheckOptions,
  type LeakFinishOptions,
} from './leaks/leak-check.ts';
export { leakHooks, type LeakHookOptions, type LeakHooks } from './leaks/leak-hooks.ts';
export {
  deafTool,
  deferred,
  fakeProcess,
  type DeafCall,
  type DeafTool,
  type Deferred,
  type FakeProcess,
  type FakeProcessAct,
  type FakeProcessOptions,
} from './fakes.ts';
export { stopBackendSuite, type StopBackendCase, type StopBackendSuiteOptions } from './stop-backend-suite.ts';
export {
  findTool,
  historyOf,
  inputFor,
  mainRequests,
  startModelServer,
  toolsOf,
  type HistoryItem,
  type ModelAnswer,
  type ModelDialect,
  type ModelFailure,
  type ModelReply,
  type ModelRequest,
  type ModelScript,
  type ModelServer,
  type ModelServerOptions,
  type ModelSilence,
  type ReplyPacing,
  type RequestTool,
  type ScriptedPart,
  type ScriptedToolCall,
  type UnknownRequest,
} from './model-server/index.ts';
export {
  describeAgent,
  type AgentCall,
  type AgentDelivery,
  type AgentHarness,
  type AgentProgram,
  type AgentProgramStart,
  type AgentRun,
  type AgentStart,
  type AgentTool,
  type AgentVerdict,
  type AgentWish,
  type DescribeAgentOptions,
} from './agent-suite/index.ts';
export { HostileCommands } from './agent-suite/hostile-commands.ts';
export {
  describeAdapter,
  type AdapterCall,
  type AdapterHarness,
  type AdapterVerdict,
  type DescribeAdapterOptions,
} from './adapter-suite/describe-adapter.ts';
