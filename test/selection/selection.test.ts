import { globSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { bin, node } from '../../scripts/gates/run.ts';
import { select } from '../../scripts/gates/selection.ts';

/** A file of each room that others stand on, and of one room that nothing does. */
const planted = [
  'src/core/foundation/reason.ts',
  'src/core/token/source.ts',
  'src/core/combinators/delay.ts',
  'src/core/interrupt/machine.ts',
  'src/guard/guarded-call.ts',
  'src/sessions/session-registry.ts',
  'src/remote/backend.ts',
  'src/transcript/check-transcript.ts',
  'src/transcript/dialects/rules.ts',
  'src/adapters/internal/process/process-hooks.ts',
  'src/adapters/mcp/index.ts',
  'src/testing/virtual-clock.ts',
  'src/inspect/record.ts',
];

/** Files of unit tests that import a source, directly: what must be selected where the law lets their room do so. */
describe('the tests that a check selects', () => {
  it('begin with those of the room, and end with those of who may import it', () => {
    expect(select('core/token').tests[0]).toBe('test/core/token');
    expect(select('core/token').tests).toEqual(
      expect.arrayContaining(['test/core/combinators', 'test/core/interrupt', 'test/guard', 'test/sessions']),
    );
    expect(select('src/adapters/mcp/index.ts').tests).toEqual(['test/adapters/mcp']);
    expect(select('adapters/internal').tests).toContain('test/adapters');
    expect(select('mcp')).toEqual(select('adapters/mcp'));
    expect(() => select('core/tokens')).toThrow(
      new RangeError(
        'no room or file core/tokens: try core/token, transcript, adapters/mcp or src/core/token/source.ts',
      ),
    );
  });

  it.each(planted)('go red for a fault in %s', { timeout: 600_000 }, async (file) => {
    const [first = ''] = select(file).tests;
    // The room’s own tests see it: one file of them is enough to run.
    const projects = ['unit', 'unit-isolated', 'transcript'].flatMap((name) => ['--project', name]);
    const args = ['run', first, ...projects, '--bail', '1', '--passWithNoTests', '--reporter=dot'];
    const { ok, output } = await node(bin('vitest'), args, { env: { PLANT: file } });
    expect(globSync(`${first}/**/*.test.ts`).length + (first.endsWith('.ts') ? 1 : 0)).toBeGreaterThan(0);
    expect(output).toContain(`planted in ${file}`);
    expect(ok).toBe(false);
  });
});
