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
  readonly repository?: string | { readonly url: string; readonly [field: string]: unknown } | undefined;
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

/**
 * The manifest of a package, in a folder of the repository, with the address that the manifest of the root says: that is the one
 * place where it is set.
 */
export function withRepository(manifest: Manifest, { repository }: Manifest, folder: string): Manifest {
  const url = typeof repository === 'string' ? repository : repository?.url;
  if (url === undefined) return manifest;
  return { ...manifest, repository: { type: 'git', url, ...(folder === '' ? {} : { directory: folder }) } };
}

/** The page with its links into the repository made absolute: to the files of this version, seen from the folder of the page. */
export function withAbsoluteLinks(page: string, repository: string, version: string, folder = ''): string {
  const home = folder === '' ? '' : `${folder}/`;
  return page.replace(
    /(!?)\[([^\]]*)\]\((?!https?:|#|mailto:)([^)]+)\)/g,
    (_link, image: string, text: string, path: string) =>
      `${image}[${text}](${repository}/${image === '' ? 'blob' : 'raw'}/v${version}/${home}${path})`,
  );
}

/**
 * Puts the package together.
 *
 * @param root The folder of the repository.
 * @param folder Where to; what is there is removed.
 * @param part The folder of the package in the repository, built; the repository itself by default.
 */
export function stagePackage(root: string, folder: string, part = ''): void {
  const home = join(root, part);
  const listed = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json', `./${part}`], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const [{ files } = { files: [] }] = JSON.parse(listed) as { readonly files: readonly { readonly path: string }[] }[];
  const read = (at: string): Manifest => JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Manifest;
  const manifest = withRepository(read(home), read(root), part);
  const repository = repositoryPage(manifest);
  rmSync(folder, { recursive: true, force: true });
  for (const { path } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(home, path), join(folder, path));
    if (repository === undefined || !/^README(?:_\w+)?\.md$/.test(path)) continue;
    writeFileSync(
      join(folder, path),
      withAbsoluteLinks(readFileSync(join(home, path), 'utf8'), repository, manifest.version, part),
    );
  }
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(publishedManifest(manifest), undefined, 2)}\n`);
}
