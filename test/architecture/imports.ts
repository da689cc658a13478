/**
 * Who may import whom, which packages are let in, and that nothing goes round in a circle.
 *
 * @module
 */
import { importsOf, type ImportEdge, type Sources } from './source.ts';

interface Room {
  /** Its files: a folder ending in `/`, or one file. */
  readonly path: string;
  /** What it may import beside itself: folders ending in `/`, or single files. */
  readonly rooms: readonly string[];
  /** Of these, only types. */
  readonly typesOf?: readonly string[];
  readonly packages?: RegExp;
}

const core = ['src/core/foundation/', 'src/core/token/', 'src/core/combinators/', 'src/core/interrupt/'];
const doors = ['src/index.ts', 'src/transcript/index.ts', 'src/remote/index.ts'];
const node = /^node:/;

/** The law, most special room first. */
const rooms: readonly Room[] = [
  { path: 'src/core/foundation/', rooms: [] },
  { path: 'src/core/token/', rooms: core.slice(0, 1) },
  { path: 'src/core/combinators/', rooms: core.slice(0, 2) },
  { path: 'src/core/interrupt/', rooms: core.slice(0, 3) },
  { path: 'src/transcript/', rooms: ['src/core/foundation/'], typesOf: ['src/core/interrupt/'] },
  { path: 'src/remote/', rooms: core },
  { path: 'src/adapters/internal/', rooms: core, packages: node },
  {
    path: 'src/adapters/compose/',
    rooms: [...core, 'src/adapters/internal/'],
    packages: /^(?:node:|abort-controller-x$)/,
  },
  ...['redis', 'nats', 'postgres'].map((store) => ({
    path: `src/adapters/${store}.ts`,
    rooms: [...core, 'src/adapters/internal/', 'src/remote/backend.ts'],
    packages: node,
  })),
  { path: 'src/adapters/', rooms: [...core, 'src/adapters/internal/'], packages: node },
  { path: 'src/testing/fast-check/', rooms: [...doors, 'src/testing/'], packages: /^(?:node:|fast-check$)/ },
  { path: 'src/testing/', rooms: doors, packages: node },
  { path: 'src/inspect/', rooms: doors, packages: node },
  { path: 'src/index.ts', rooms: core },
];

function within(file: string, place: string): boolean {
  return place.endsWith('/') ? file.startsWith(place) : file === place;
}

/** An adapter is a file or a folder; its own folder is its room, the other adapters are not. */
function ownRoom(file: string, room: Room): string {
  if (room.path !== 'src/adapters/') return room.path;
  const [name = ''] = file.slice(room.path.length).split('/');
  return name.endsWith('.ts') ? file : `${room.path}${name}/`;
}

function judge(edge: ImportEdge, sources: Sources): string | undefined {
  const room = rooms.find(({ path }) => within(edge.from, path));
  if (room === undefined)
    return `${edge.from}: belongs to no room of the house; rooms: ${rooms.map((r) => r.path).join(', ')}`;
  if (edge.target === undefined) {
    if (room.packages?.test(edge.specifier) === true) return undefined;
    return `${edge.at}: imports package '${edge.specifier}'; ${room.path} may import ${room.packages?.source ?? 'no package'}`;
  }
  if (!sources.has(edge.target)) return `${edge.at}: imports ${edge.specifier}, and there is no ${edge.target}`;
  const own = ownRoom(edge.from, room);
  const allowed = [own, ...room.rooms];
  if (allowed.some((place) => within(edge.target ?? '', place))) return undefined;
  const types = room.typesOf ?? [];
  if (edge.typeOnly && types.some((place) => within(edge.target ?? '', place))) return undefined;
  const typesToo = types.length === 0 ? '' : `, and types of ${types.join(', ')}`;
  return `${edge.at}: imports ${edge.target}; allowed rooms: ${allowed.join(', ')}${typesToo}`;
}

/** Every import goes downwards, into a room that the law allows. */
export function importDirection(sources: Sources): string[] {
  const lines: string[] = [];
  for (const [path, text] of sources) {
    if (!rooms.some((room) => within(path, room.path))) lines.push(`${path}: belongs to no room of the house`);
    else
      for (const edge of importsOf(path, text))
        lines.push(...[judge(edge, sources)].filter((line) => line !== undefined));
  }
  return lines;
}

/** No file reaches itself, also through types. */
export function importCycles(sources: Sources): string[] {
  const lines: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): void => {
    const start = path.indexOf(file);
    if (start !== -1) {
      lines.push(`cycle: ${[...path.slice(start), file].join(' -> ')}`);
      return;
    }
    if (done.has(file)) return;
    path.push(file);
    for (const { target } of importsOf(file, sources.get(file) ?? '')) if (target !== undefined) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of sources.keys()) visit(file);
  return lines;
}
