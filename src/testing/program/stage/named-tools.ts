/**
 * The tools that a profile names, or that are found without it.
 *
 * @module
 */
import { shellToolIn, toolsOf, type RequestTool } from '../../model-server/reading/request-tools.ts';
import type { ModelRequest } from '../../model-server/request-record.ts';
import type { ProgramProfile } from '../profile.ts';

/** The tool that runs commands: the one that the profile names, or the one that looks like it. */
export function shellToolOf(request: ModelRequest, { shell }: ProgramProfile): RequestTool | undefined {
  return shell === undefined ? shellToolIn(request) : toolsOf(request).find(({ name }) => name === shell);
}

/** A profile that names a tool which is not there. */
export function noTool(request: ModelRequest, field: 'shell' | 'mcp', name: string): string {
  const declared = toolsOf(request).map((tool) => tool.name);
  return `the program declares no tool ${JSON.stringify(name)}, which is ${field} of its profile; it declares ${declared.join(', ') || 'none'}`;
}
