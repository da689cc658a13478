import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';

import { loadPseudoTerminals } from '../../../../src/testing/program/outside/pseudo-terminal.ts';

it('the package for pseudo-terminals is found where it is installed', async () => {
  expect(typeof (await loadPseudoTerminals(tmpdir())).spawn).toBe('function');
});
