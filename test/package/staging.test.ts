import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import {
  publishedManifest,
  repositoryPage,
  stagePackage,
  withAbsoluteLinks,
  withRepository,
  type Manifest,
} from '../../scripts/staging.ts';
import { requireBuild, root } from './consumer.ts';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;

describe('the published manifest', () => {
  it('the published manifest has what a user needs, and nothing for a clone', () => {
    const published = publishedManifest(manifest);
    const needed = [
      'name',
      'version',
      'license',
      'type',
      'engines',
      'exports',
      'typesVersions',
      'bin',
      'dependencies',
      'peerDependencies',
    ];
    for (const field of needed) expect(published[field], field).toEqual(manifest[field]);
    for (const field of ['devDependencies', 'scripts', 'workspaces']) expect(published).not.toHaveProperty(field);
  });

  it.each([
    [undefined, undefined],
    ['github:a/b', 'https://github.com/a/b'],
    [{ url: 'git+https://example.org/a/b.git' }, 'https://example.org/a/b'],
  ])('a manifest knows the page of the repository %j', (repository, page) => {
    expect(repositoryPage({ ...manifest, repository })).toBe(page);
  });
});

describe('links of a published page', () => {
  it('links of a published page lead to the files of this version, and others stay', () => {
    const page = '[a](docs/a.md#b) ![p](docs/p.png) [w](https://x.org/y) [h](#here)';
    expect(withAbsoluteLinks(page, 'https://example.org/r', '1.2.3')).toBe(
      '[a](https://example.org/r/blob/v1.2.3/docs/a.md#b) ![p](https://example.org/r/raw/v1.2.3/docs/p.png) [w](https://x.org/y) [h](#here)',
    );
    expect(withAbsoluteLinks('[a](docs/a.md)', 'https://example.org/r', '1.2.3', 'audit')).toBe(
      '[a](https://example.org/r/blob/v1.2.3/audit/docs/a.md)',
    );
  });
});

describe('the address of the repository', () => {
  it('the address of the repository is set for all packages by the manifest of the root', () => {
    const owner = { ...manifest, repository: 'github:a/b' };
    const part: Manifest = { name: 'part', version: '1.0.0' };
    expect(withRepository(part, owner, 'audit')).toEqual({
      ...part,
      repository: { type: 'git', url: 'github:a/b', directory: 'audit' },
    });
    expect(withRepository(part, { ...manifest, repository: undefined }, 'audit')).toEqual(part);
  });
});

describe('the package that is put together', () => {
  const folder = mkdtempSync(join(tmpdir(), 'desist-staging-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('the package that is put together has every file that npm would pack', () => {
    requireBuild();
    stagePackage(root, folder);
    expect(readdirSync(folder).sort()).toEqual(
      expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'docs', 'examples', 'package.json']),
    );
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toEqual(publishedManifest(manifest));
  });

  it('the package that is put together may be one in a folder of the repository', () => {
    stagePackage(root, folder, 'audit');
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'docs', 'package.json']));
    const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
    expect({ name, version }).toEqual({ name: 'desist-audit', version: manifest.version });
  });
});
