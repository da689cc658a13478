/**
 * The package as a user gets it: packed, unpacked into a `node_modules` of its own, next to its one dependency.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { stagePackage } from '../../scripts/staging.ts';
import { stripTypes } from '../support/strip-types.ts';

export const root = fileURLToPath(new URL('../../', import.meta.url));

const artifacts = join(root, '.artifacts');

/** A folder with the package installed. */
export interface Consumer {
  readonly folder: string;
  /** Paths inside the tarball. */
  readonly files: readonly string[];
  /** Bytes of the tarball. */
  readonly packedBytes: number;
  /** Bytes of the files in it. */
  readonly unpackedBytes: number;
  remove(): void;
}

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}

function npm(cwd: string, args: readonly string[]): string {
  return execFileSync('npm', [...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
}

/** Refuses to test what was not built. */
export function requireBuild(): void {
  if (!existsSync(join(root, 'dist/index.d.cts')))
    throw new Error('dist is missing or half built: run `npm run build` first');
}

/** Packs the built package and installs it, without a registry, into a fresh folder; copies the smoke test and its cases into it. */
export function installPacked(): Consumer {
  requireBuild();
  mkdirSync(artifacts, { recursive: true });
  const folder = mkdtempSync(join(artifacts, 'consumer-'));
  const staged = join(folder, 'staged');
  stagePackage(root, staged);
  const packing = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const [packed] = JSON.parse(npm(staged, packing)) as Packed[];
  rmSync(staged, { recursive: true });
  if (packed === undefined) throw new Error('npm pack said nothing');
  const home = join(folder, 'node_modules', 'desist');
  mkdirSync(home, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, packed.filename), '-C', home, '--strip-components=1']);
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    readonly dependencies?: Readonly<Record<string, string>>;
  };
  // A door below `desist/testing` loads its peer as soon as it is opened.
  for (const name of [...Object.keys(manifest.dependencies ?? {}), 'fast-check']) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link, 'junction');
  }
  writeFileSync(join(folder, 'package.json'), '{ "name": "consumer", "private": true, "type": "module" }\n');
  cpSync(join(root, 'test/package/smoke'), join(folder, 'smoke'), { recursive: true });
  const cases = readFileSync(join(root, 'test/support/web-platform/cases.ts'), 'utf8');
  writeFileSync(join(folder, 'smoke/platform-cases.mjs'), stripTypes(cases));
  const clients = stripTypes(readFileSync(join(root, 'test/interop/llm-clients.ts'), 'utf8'));
  writeFileSync(
    join(folder, 'smoke/llm-clients.mjs'),
    clients.replaceAll('../../src/adapters/llm/index.ts', 'desist/llm'),
  );
  return {
    folder,
    files: packed.files.map((file) => file.path),
    packedBytes: packed.size,
    unpackedBytes: packed.unpackedSize,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
