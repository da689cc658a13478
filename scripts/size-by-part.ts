/**
 * What each part of the contract costs, minified and compressed: `node scripts/size-by-part.ts [--write]`.
 *
 * A bundle as a user's bundler makes it, taken apart by source file. A file's compressed size is its share of the
 * whole, by minified bytes: compressed alone it would lose what it has in common with the others. `--write` puts the
 * tables into docs/design/size.md; `npm run size` holds the totals.
 *
 * @module
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { format } from 'oxfmt';
import { build } from 'tsup';

const root = join(import.meta.dirname, '..');
const page = join(root, 'docs/design/size.md');

interface Limit {
  readonly name: string;
  /** Names of the front door; of several doors, by door. */
  readonly import: string | Readonly<Record<string, string>>;
}

/** The bundles that are taken apart: each adds to the one before it. */
const bundles: readonly string[] = [
  'token and source',
  'withCancellation alone',
  'front door without the interrupt room',
  'front door, everything',
];

interface Metafile {
  readonly outputs: Readonly<Record<string, { readonly inputs: Readonly<Record<string, { bytesInOutput: number }>> }>>;
}

/** The room of a file, as the table names it; a function over a token is a part of its own. */
function partOf(file: string): string {
  const path = relative('src/core', file);
  return dirname(path) === 'combinators' ? `\`${basename(path, '.ts')}\`` : `\`core/${dirname(path)}\``;
}

interface Measured {
  readonly total: number;
  readonly rows: readonly (readonly [part: string, bytes: number])[];
}

/** Bundles what one limit imports and takes it apart. */
async function measure(limit: Limit, folder: string): Promise<Measured> {
  const entry = join(folder, 'entry.ts');
  if (typeof limit.import !== 'string') throw new TypeError(`${limit.name} is not of the front door alone`);
  writeFileSync(entry, `export ${limit.import} from ${JSON.stringify(join(root, 'src/index.ts'))};\n`);
  const outDir = join(folder, 'out');
  await build({
    config: false,
    entry: { bundle: entry },
    format: ['esm'],
    target: 'es2022',
    platform: 'neutral',
    outDir,
    minify: true,
    metafile: true,
    silent: true,
    clean: true,
    dts: false,
    tsconfig: join(root, 'tsconfig.json'),
  });
  const { outputs } = JSON.parse(readFileSync(join(outDir, 'metafile-esm.json'), 'utf8')) as Metafile;
  const bundle = Object.entries(outputs).find(([path]) => path.endsWith('.js') || path.endsWith('.mjs'));
  if (bundle === undefined) throw new Error(`nothing was built for ${limit.name}`);
  const [path, { inputs }] = bundle;
  const text = readFileSync(join(root, path));
  const total = gzipSync(text, { level: 9 }).length;
  const bytes = new Map<string, number>();
  for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
    if (bytesInOutput === 0 || !file.includes('src/core/')) continue;
    const part = partOf(file);
    bytes.set(part, (bytes.get(part) ?? 0) + (bytesInOutput * total) / text.length);
  }
  return { total, rows: [...bytes].sort(([, a], [, b]) => b - a) };
}

const kB = (bytes: number): string => (bytes / 1000).toFixed(2);

/** One table: the parts of one limit, largest first, beyond those of the limit before it. */
function table(limit: Limit, { total, rows }: Measured, known: ReadonlySet<string>): string {
  const news = rows.filter(([part]) => !known.has(part));
  const rest = total - news.reduce((sum, [, bytes]) => sum + bytes, 0);
  const lines = news.map(([part, bytes]) => `| ${part} | ${kB(bytes)} |`);
  if (known.size > 0) lines.push(`| what the table above holds | ${kB(rest)} |`);
  return [
    `### ${limit.name}`,
    '',
    '| part | kB |',
    '| --- | ---: |',
    ...lines,
    `| **together** | **${kB(total)}** |`,
    '',
  ].join('\n');
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
  const limits = JSON.parse(readFileSync(join(root, '.size-limit.json'), 'utf8')) as Limit[];
  mkdirSync(join(root, '.artifacts'), { recursive: true });
  const folder = mkdtempSync(join(root, '.artifacts/size-'));
  const tables: string[] = [];
  try {
    const known = new Set<string>();
    for (const name of bundles) {
      const limit = limits.find((each) => each.name === name);
      if (limit === undefined) throw new Error(`.size-limit.json has no ${JSON.stringify(name)}`);
      const measured = await measure(limit, folder);
      tables.push(table(limit, measured, known));
      for (const [part] of measured.rows) known.add(part);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const text = tables.join('\n');
  if (!options.write) {
    console.log(text);
    return;
  }
  const [before = '', after = ''] = readFileSync(page, 'utf8').split(/<!-- sizes -->[^]*<!-- \/sizes -->/);
  const written = `${before}<!-- sizes -->\n\n${text}\n<!-- /sizes -->${after}`;
  writeFileSync(page, (await format(page, written)).code);
}

await main();
