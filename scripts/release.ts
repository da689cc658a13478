/**
 * `npm run release`: from a clean, tagged-to-be tree to the tarballs of its packages and their checksums. Publishes nothing; the last line
 * says how a person does.
 *
 * @module
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './gates/run.ts';
import { repositoryPage, stagePackage, type Manifest } from './staging.ts';

/** Does everything but publish; what only a release needs – a version, a section, a free tag – is told and passed over. */
const isDryRun = process.argv.includes('--dry-run');
/** In the workflow, which has run every gate a step before, and has the tag. */
const isTagged = process.argv.includes('--tagged');

function refuse(why: string): never {
  console.error(`not released: ${why}`);
  process.exit(1);
}

/** What stops a release, and not its rehearsal. */
function mustBeReady(why: string): void {
  if (!isDryRun) refuse(why);
  console.error(`would not be released: ${why}`);
}

function git(...args: string[]): string {
  return execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const { version } = manifest;
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');

const dirty = git('status', '--porcelain');
if (dirty !== '') refuse(`the tree is not clean\n${dirty}`);
const audit = JSON.parse(readFileSync(join(root, 'audit', 'package.json'), 'utf8')) as Manifest;
if (audit.version !== version) refuse(`${audit.name} is ${audit.version}, and goes out with ${version}`);
if (version === '0.0.0') mustBeReady('package.json still says 0.0.0');
if (!changelog.includes(`\n## [${version}]`)) mustBeReady(`CHANGELOG.md has no section [${version}]`);
if (repositoryPage(manifest) === undefined)
  mustBeReady('package.json has no repository: the owner sets it there, and the links of the README are made of it');
if (isTagged) {
  if (!git('tag', '--points-at', 'HEAD').split('\n').includes(`v${version}`)) refuse(`this is not v${version}`);
} else if (git('tag', '--list', `v${version}`) !== '') {
  mustBeReady(`v${version} exists already`);
}

if (!isTagged) {
  const tests = spawnSync(process.execPath, [join(root, 'scripts/test.ts'), '--all'], { cwd: root, stdio: 'inherit' });
  if (tests.status !== 0) refuse('npm run test:all failed');
}

// Built twice on purpose: what is packed comes from a folder that held nothing before.
const folders = ['', 'audit'];
for (const folder of folders) rmSync(join(root, folder, 'dist'), { recursive: true, force: true });
const compiler = [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'audit/tsconfig.build.json')];
for (const script of [[join(root, 'scripts/build.ts')], compiler]) {
  const { status } = spawnSync(process.execPath, script, { cwd: root, stdio: 'inherit' });
  if (status !== 0) refuse('the build failed');
}

const target = join(root, '.artifacts', 'release');
rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });

/** Packs one package of the repository, and says what came of it. */
function pack(folder: string): { readonly path: string; readonly lines: string } {
  const staged = join(target, 'staged', folder === '' ? 'root' : folder);
  stagePackage(root, staged, folder);
  const packed = execFileSync('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', target], {
    cwd: staged,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const [{ filename, files, size } = refuse('npm pack said nothing')] = JSON.parse(packed) as {
    filename: string;
    files: unknown[];
    size: number;
  }[];
  const path = join(target, filename);
  const sha = createHash('sha256').update(readFileSync(path)).digest('hex');
  return { path, lines: `${path}\n${String(files.length)} files, ${String(size)} bytes\nsha256 ${sha}` };
}
const packages = folders.map(pack);
if (git('status', '--porcelain') !== '') refuse('the tests or the build changed the tree');

console.log(`
${version} from ${git('rev-parse', 'HEAD')}
${packages.map(({ lines }) => lines).join('\n')}

${isDryRun ? 'A dry run. A release would go on with: ' : ''}git tag -s v${version} && git push origin v${version}
The workflow \`release\` publishes what is tagged, with provenance; without it: ${packages.map(({ path }) => `npm publish ${path}`).join(' && ')}`);
