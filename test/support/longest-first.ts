/**
 * In which order files begin: what takes long is not left to the end, where it would be waited for alone. What waits for
 * programs and what computes stand side by side that way, whichever project they are of.
 *
 * @module
 */
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take more than a quarter of a minute, the longest first. */
const long = [
  'test/properties/remote-simulation.test.ts',
  'test/properties/interrupt.test.ts',
  'test/properties/transcript-switch.test.ts',
  'test/package/nameable.test.ts',
  'test/integration/program-',
  'test/interop/agents.test.ts',
  'test/docs/docs.test.ts',
  'test/integration/classic/',
  'test/integration/redis',
  'test/integration/starter.test.ts',
  'test/integration/windows-x11.test.ts',
  'test/integration/postgres',
  'test/integration/terminal-',
  'test/interop/framework-',
  'test/integration/token-',
  'test/integration/demo-',
  'audit/test/',
  'test/integration/browser-',
  'test/integration/nats.test.ts',
  'test/integration/flow-leaks.test.ts',
  'test/integration/child-process-torture.test.ts',
  'test/integration/leak-hooks.test.ts',
  'test/integration/chat.test.ts',
  'test/integration/multi-instance.test.ts',
  'test/interop/matrix.test.ts',
  'test/interop/remote-run.test.ts',
  'test/interop/thoughts-behind-calls.test.ts',
  'test/interop/mcp',
  'test/interop/transcript-',
  'test/interop/now-at-every-part.test.ts',
  'test/interop/door-facts.test.ts',
  'test/interop/ink-hand-over.test.ts',
  'test/interop/llm-',
];

/** Longest first, within each group of projects. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const file = relative(this.ctx.config.root, moduleId).replaceAll('\\', '/');
      const rank = long.findIndex((start) => file.startsWith(start));
      return rank === -1 ? long.length : rank;
    };
    const groupOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => groupOf(a) - groupOf(b) || rankOf(a) - rankOf(b));
  }
}
