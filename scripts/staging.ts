/**
 * What is published: the files that `npm pack` names, with the manifest that a user needs, and a README whose links lead somewhere
 * from a registry's page.
 *
 * @module
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The part of a manifest that is read here. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  /** Set by whoever owns the package, in package.json alone; everything else is made of it. */
  readonly repository?: string | { readonly url: string } | undefined;
  readonly [field: string]: unknown;
}

/** What only a clone has a use for. */
const forClones = [
  'devDependencies',
  'scripts',
  'workspaces',
  'overrides',
  'allowScripts',
  'private',
  'files',
] as const;

/** The manifest without what a clone has it for. */
export function publishedManifest(manifest: Manifest): Manifest {
  return Object.fromEntries(
    Object.entries(manifest).filter(([field]) => !forClones.some((each) => each === field)),
  ) as unknown as Manifest;
}

/** The address of the repository's pages, without a slash at its end; `undefined` while nobody has set it. */
export function repositoryPage({ repository }: Manifest): string | undefined {
  const url = typeof repository === 'string' ? repository : repository?.url;
  return url
    ?.replace(/^github:/, 'https://github.com/')
    .replace(/^git\+/, '')
    .replace(/\.git$/, '');
}

/** The page with its links into the repository made absolute: to the files of this version. */
export function withAbsoluteLinks(page: string, repository: string, version: string): string {
  return page.replace(
    /(!?)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)]+)\)/g,
    (_link, image: string, text: string, path: string) =>
      `${image}[${text}](${repository}/${image === '' ? 'blob' : 'raw'}/v${version}/${path})`,
  );
}

/**
 * Puts the package together.
 *
 * @param root The folder of package.json, built.
 * @param folder Where to; what is there is removed.
 */
export function stagePackage(root: string, folder: string): void {
  const listed = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const [{ files } = { files: [] }] = JSON.parse(listed) as { readonly files: readonly { readonly path: string }[] }[];
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const repository = repositoryPage(manifest);
  rmSync(folder, { recursive: true, force: true });
  for (const { path } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
    if (repository === undefined || !/^README(?:_\w+)?\.md$/.test(path)) continue;
    writeFileSync(
      join(folder, path),
      withAbsoluteLinks(readFileSync(join(root, path), 'utf8'), repository, manifest.version),
    );
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(manifest), undefined, 2)}\n`);
}
