/**
 * The acceptance scenarios that any agent loop can be put through, whoever wrote it, by the numbers of the list of
 * scenarios.
 *
 * @module
 */
import { conversation } from './conversation.ts';
import { messages } from './messages.ts';
import { outside } from './outside.ts';
import type { AgentScenarios } from './scenario.ts';
import { seams } from './seams.ts';
import { stopping } from './stopping.ts';
import { truth } from './truth.ts';

export type { AgentScenario, ScenarioPart } from './scenario.ts';

const all = { ...stopping, ...truth, ...conversation, ...messages, ...seams, ...outside };

export const agentScenarios: AgentScenarios = Object.fromEntries(
  Object.entries(all).sort(([one], [other]) => (one < other ? -1 : 1)),
);
