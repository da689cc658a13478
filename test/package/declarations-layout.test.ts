/** Where the published declarations say what. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { layOut } from '../../scripts/declarations-layout.ts';

const platform = 'type URL = object;';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'layout-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** Lays out the files, of which those without a hash are doors. */
function laidOut(files: Readonly<Record<string, string>>): (file: string) => string {
  for (const [file, text] of Object.entries(files)) {
    const path = join(folder, `${file}.d.ts`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `${platform}\n${text}`);
  }
  const doors = Object.keys(files).filter((file) => !/-\w{8}$/.test(file));
  layOut(folder, doors, platform);
  return (file) => readFileSync(join(folder, `${file}.d.ts`), 'utf8').replace(`${platform}\n`, '');
}

describe('the declarations of a door', () => {
  it('the declarations of a door have what another exports from that door', () => {
    const text = laidOut({
      one: "import { S as Shared } from './shared-12345678.js';\nexport type { Shared };",
      'below/two': "import { S as Mine } from '../shared-12345678.js';\ntype Two = Mine;\nexport type { Two };",
      'shared-12345678': 'interface Shared { s: 1 }\nexport type { Shared as S };',
    });
    expect(text('below/two')).toContain("import { Shared as Mine } from '../one.js';");
    expect(text('one')).toContain("import { S as Shared } from './shared/types/shared.js';");
    expect(text('shared/types/shared')).toContain('interface Shared');
    expect(existsSync(join(folder, 'shared-12345678.d.ts'))).toBe(false);
  });

  it('the declarations of a door have copies, all the way down, of what no door exports', () => {
    const text = laidOut({
      one: "import { S as Shared } from './shared-12345678.js';\ntype Deep = 1;\ninterface One { one: Shared; deep: Deep }\nexport type { One };",
      'shared-12345678':
        "import { D } from './deeper-12345678.js';\ninterface Shared { at: URL; list: D[] }\nexport type { Shared as S };",
      'deeper-12345678': 'interface Deep { up?: Deep }\nexport type { Deep as D };',
    });
    expect(text('one')).toContain('type Shared = { at: URL; list: Deep$1[]\n};');
    expect(text('one')).toContain('type Deep$1 = { up?: Deep$1\n};');
    expect(text('one')).not.toContain('import');
    expect(existsSync(join(folder, 'shared'))).toBe(false);
  });

  it('the declarations of a door share a class, which must not be there twice', () => {
    const text = laidOut({
      one: "import { C } from './shared-12345678.js';\ndeclare function f(): C;\nexport { f };",
      'shared-12345678':
        'declare class Core { #c: 1 }\ninterface Never { n: 1 }\nexport { Core as C, type Never as N };',
    });
    expect(text('one')).toContain("import { C } from './shared/types/shared.js';");
    expect(text('shared/types/shared')).toContain('type Never = ');
    expect(text('shared/types/shared')).toContain('export { Core as C };');
  });

  it('the declarations of a door load nothing for what it does', () => {
    const text = laidOut({
      one: "import 'node:http';\nimport './shared-12345678.js';\nimport { Readable } from 'node:stream';\nexport { Readable };",
      'shared-12345678': 'interface Shared { s: 1 }\nexport type { Shared as S };',
    });
    expect(text('one').trim()).toBe("import { Readable } from 'node:stream';\nexport { Readable };");
  });

  it('the declarations of a door pass on what it exports of another file', () => {
    const text = laidOut({
      one: "export { S as Shared } from './shared-12345678.js';",
      'shared-12345678': 'interface Shared { s: 1 }\nexport type { Shared as S };',
    });
    expect(text('one')).toBe("import { S as Shared } from './shared/types/shared.js';\nexport { Shared };");
  });
});
