import { PassThrough } from 'node:stream';

import * as ink from 'ink';
import react from 'react';
import { describe, expect, it } from 'vitest';

import { inkInterrupts } from '../../../src/adapters/ink/index.ts';
import { InterruptController } from '../../../src/index.ts';

const { InterruptProvider, useInterrupt, useKey, usePrompt, StatusLine } = inkInterrupts({ react, ink });
const h = react.createElement;
const agent = new InterruptController({ name: 'Ada' });

/** The last frame of a component that is drawn once, without a terminal. */
async function frame(component: () => react.ReactElement, props: object = {}): Promise<string> {
  const stdout = Object.assign(new PassThrough({ encoding: 'utf8' }), { columns: 60 });
  const stdin = new PassThrough();
  const app = ink.render(h(InterruptProvider, props, h(component)), {
    stdout: stdout as never,
    stdin: stdin as never,
    debug: true,
    patchConsole: false,
  });
  await new Promise(setImmediate);
  const shown = String(stdout.read());
  app.unmount();
  expect([stdin.listenerCount('data'), stdin.listenerCount('end')]).toEqual([0, 0]);
  return shown;
}

describe('inkInterrupts', () => {
  it('draws the status line, also where there is no terminal', async () => {
    function Line(): react.ReactElement {
      useKey(() => false);
      usePrompt(true);
      const interrupt = useInterrupt(agent);
      const shown = { ...interrupt, text: interrupt.state, line: 'line', hint: 'hint' };
      return h(
        ink.Box,
        { flexDirection: 'column' },
        h(StatusLine, { of: shown }),
        h(StatusLine, { of: { ...shown, text: '' }, color: 'red' }),
        h(StatusLine, { of: { ...shown, text: '', line: '' } }),
      );
    }
    expect(await frame(Line)).toMatch(/idle\n.*line · hint.*\nhint/);
  });

  it.each([
    [{ ink }, 'react must be the module, got undefined'],
    [{ react }, 'ink must be the module, got undefined'],
    [{ react: {}, ink }, 'react.useSyncExternalStore must be a function, got undefined'],
    [{ react, ink: react }, 'ink.useStdin must be a function, got undefined'],
    [undefined, 'react must be the module, got undefined'],
  ])('refuses what is not React or not Ink', (libraries, message) => {
    expect(() => inkInterrupts(libraries as never)).toThrow(new TypeError(message));
  });

  it('works inside its provider only', () => {
    const outside = (use: () => void): string =>
      ink.renderToString(
        h(() => {
          try {
            use();
            return h(ink.Text, null, 'ok');
          } catch (error) {
            return h(ink.Text, null, String(error));
          }
        }),
      );
    expect(outside(() => useInterrupt(agent))).toContain('useInterrupt works inside InterruptProvider only');
    expect(
      outside(() => {
        useKey(() => true, { prio: 1 } as never);
      }),
    ).toContain('options.prio is no option');
    expect(
      outside(() => {
        useKey(() => true);
      }),
    ).toContain('useKey works inside InterruptProvider only');
    expect(
      outside(() => {
        usePrompt(true);
      }),
    ).toContain('usePrompt works inside InterruptProvider only');
  });
});
