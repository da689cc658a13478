/** Every framework in every major that is installed. Loaded at import, so that what a package opens is no leak of a test. */
import { majors, type Major } from '../../majors.ts';
import { aiSdk, aiSdkAnthropic, aiSdkGoogle } from './ai-sdk.ts';
import type { Framework } from './framework.ts';
import { langchainAgent, reactAgent } from './langgraph.ts';
import { mastra } from './mastra.ts';
import { openaiAgents } from './openai-agents.ts';
import { piFrameworks } from './pi.ts';

const [newest] = majors as readonly [Major, Major];

export const frameworks: readonly Framework[] = [
  ...(await Promise.all([
    ...[aiSdk, openaiAgents, reactAgent, langchainAgent, mastra].flatMap((make) => majors.map(make)),
    ...[aiSdkAnthropic, aiSdkGoogle].map((make) => make(newest)),
  ])),
  ...piFrameworks,
];
