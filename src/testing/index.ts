/**
 * The door `desist/testing`: what tests of cancellable code need, for users and for this package alike.
 *
 * @module desist/testing
 */
export { cancelAtEvery, type CancelAtEveryOptions, type CutError, type CutScenario } from './cancel-at-every.ts';
export { VirtualClock, type RunAllOptions, type VirtualClockOptions } from './virtual-clock.ts';
export { leakCheck, type Leak, type LeakCheck, type LeakCheckOptions } from './leaks/leak-check.ts';
export { leakHooks, type LeakHookOptions } from './leaks/leak-hooks.ts';
export { deafTool, deferred, type DeafTool, type Deferred } from './fakes.ts';
export { stopBackendSuite, type StopBackendCase, type StopBackendSuiteOptions } from './stop-backend-suite.ts';
export {
  startModelServer,
  type HistoryItem,
  type ModelReply,
  type ModelRequest,
  type ModelServer,
  type ModelServerOptions,
  type RequestTool,
  type ScriptedToolCall,
} from './model-server/index.ts';
export {
  describeAgent,
  type AgentHarness,
  type AgentTool,
  type AgentVerdict,
  type DescribeAgentOptions,
} from './agent-suite/index.ts';
export {
  describeAdapter,
  type AdapterHarness,
  type AdapterVerdict,
  type DescribeAdapterOptions,
} from './adapter-suite/describe-adapter.ts';
