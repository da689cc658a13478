/** `npm run check` on a change that is wrong: in a copy of the sources, one room after the other. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { bin, node, root } from '../../scripts/gates/run.ts';
import { select } from '../../scripts/gates/selection.ts';

/** A file of each kind of room: what others stand on, and what nothing does. */
const planted = [
  'src/core/foundation/reason.ts',
  'src/core/token/source.ts',
  'src/core/combinators/delay.ts',
  'src/core/interrupt/machine.ts',
  'src/guard/guarded-call.ts',
  'src/sessions/session-registry.ts',
  'src/remote/node/told-stops.ts',
  'src/transcript/check-transcript.ts',
  'src/transcript/dialects/table.ts',
  'src/adapters/internal/process/process-hooks.ts',
  'src/adapters/mcp/index.ts',
  'src/testing/virtual-clock.ts',
  'src/inspect/record.ts',
];

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'desist-planted-'));
  const isLeftOut = /node_modules|[/\\](?:interop|integration|package)[/\\]/;
  for (const name of ['src', 'test', 'bench', 'scripts', 'audit', 'examples']) {
    cpSync(join(root, name), join(copy, name), { recursive: true, filter: (path) => !isLeftOut.test(path) });
  }
  for (const name of readdirSync(root).filter((each) => /\.(?:json|ts)$/.test(each))) {
    cpSync(join(root, name), join(copy, name));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
});

afterAll(() => {
  rmSync(copy, { recursive: true, force: true });
});

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

  it.each(planted)('go red for a fault in %s', async (file) => {
    const twin = file.replace(/^src/, 'test').replace(/\.ts$/, '.test.ts');
    expect(select(file).tests.some((place) => twin.startsWith(place))).toBe(true);
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    const projects = ['unit', 'unit-isolated', 'transcript'].flatMap((name) => ['--project', name]);
    writeFileSync(path, `throw new Error('planted in ${file}');\n${text}`);
    try {
      // One file of those that are selected is enough.
      const { ok, output } = await node(bin('vitest'), ['run', twin, ...projects], { cwd: copy });
      expect([ok, output.includes(`planted in ${file}`)], output).toEqual([false, true]);
    } finally {
      writeFileSync(path, text);
    }
  });
});
