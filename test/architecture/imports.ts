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
const tools = ['src/guard/', 'src/sessions/'];
const doors = [
  'src/index.ts',
  'src/guard/index.ts',
  'src/sessions/index.ts',
  'src/remote/index.ts',
  'src/transcript/index.ts',
];
/** What is built from outside, and says so by what it imports: the porch only for what users have no name for. */
const kit = ['src/core/inside.ts', ...doors];
const node = /^node:/;
/** What an adapter may use: the core through its porch, and the rooms above the core. */
const adapter = ['src/core/inside.ts', ...tools, 'src/adapters/internal/'];

const DIALECTS = 'src/transcript/dialects/';
/** What every dialect stands on; never another dialect. */
const transcript = [
  ...['chat', 'items', 'reading', 'words'].map((name) => `src/transcript/${name}/`),
  ...['check-transcript', 'dialect', 'from-core', 'held-conversation'].map((name) => `src/transcript/${name}.ts`),
  ...[
    'create-dialect',
    'json-checks',
    'legal-reply',
    'requirements',
    'rules',
    'settle-part',
    'translation',
    'table',
  ].map((name) => `${DIALECTS}${name}.ts`),
];
/** What the dialect of a framework brings along for its loops. */
const LOOPS = 'src/transcript/conversation/loops/framework-loops.ts';
/** The same for what the provider runs itself, and for what it asks a person. */
const HOSTED = ['open-replies', 'waiting/orders', 'waiting/questions'].map(
  (name) => `src/transcript/conversation/${name}.ts`,
);

/** What a conversation needs of messages between a person and the model. */
const MESSAGES = ['model-notes', 'hold-messages'].map((name) => `src/core/interrupt/messages/${name}.ts`);

/** The law, most special room first. */
const rooms: readonly Room[] = [
  { path: 'src/core/foundation/', rooms: [] },
  { path: 'src/core/token/', rooms: core.slice(0, 1) },
  { path: 'src/core/combinators/', rooms: core.slice(0, 2) },
  { path: 'src/core/interrupt/', rooms: core.slice(0, 3) },
  { path: 'src/core/inside.ts', rooms: core },
  { path: 'src/guard/', rooms: core },
  { path: 'src/sessions/', rooms: core },
  { path: `${DIALECTS}table.ts`, rooms: ['src/core/foundation/', DIALECTS] },
  { path: DIALECTS, rooms: ['src/core/foundation/', LOOPS, ...HOSTED, ...transcript.slice(0, -1)] },
  {
    path: 'src/transcript/conversation/',
    rooms: ['src/core/foundation/', ...MESSAGES, 'src/transcript/'],
    typesOf: ['src/core/interrupt/'],
  },
  { path: 'src/transcript/', rooms: ['src/core/foundation/'], typesOf: ['src/core/interrupt/'] },
  { path: 'src/remote/', rooms: [...core, 'src/sessions/'] },
  { path: 'src/adapters/internal/', rooms: ['src/core/inside.ts'], packages: node },
  { path: 'src/adapters/compose/', rooms: adapter, packages: /^(?:node:|abort-controller-x$)/ },
  ...['terminal', 'ink'].map((screen) => ({
    path: `src/adapters/${screen}/`,
    rooms: adapter,
    packages: /^(?:node:|get-east-asian-width$)/,
  })),
  ...['redis', 'postgres'].map((store) => ({
    path: `src/adapters/${store}/`,
    rooms: [...adapter, 'src/remote/backend.ts'],
    packages: node,
  })),
  { path: 'src/adapters/', rooms: adapter, typesOf: ['src/transcript/'], packages: node },
  { path: 'src/testing/fast-check/', rooms: [...kit, 'src/testing/'], packages: /^(?:node:|fast-check$)/ },
  { path: 'src/testing/', rooms: kit, typesOf: ['src/remote/backend.ts'], packages: node },
  { path: 'src/inspect/', rooms: kit, packages: node },
  { path: 'src/index.ts', rooms: core },
];

function within(file: string, place: string): boolean {
  return place.endsWith('/') ? file.startsWith(place) : file === place;
}

/** An adapter is a file or a folder, and so is a dialect: its own folder is its room, the others are not. */
function ownRoom(file: string, room: Room): string {
  if (room.path !== 'src/adapters/' && room.path !== DIALECTS) return room.path;
  const [name = ''] = file.slice(room.path.length).split('/');
  return name.endsWith('.ts') ? file : `${room.path}${name}/`;
}

/**
 * The rooms whose files may import a file, its own first: what a change of it can reach in one step. The files of the core
 * reach the adapters through the porch, and by it alone.
 */
export function roomsReaching(file: string): string[] {
  const room = rooms.find(({ path }) => within(file, path));
  if (room === undefined) throw new RangeError(`${file} belongs to no room of the house`);
  const own = ownRoom(file, room);
  const importers = rooms.filter(
    ({ path, rooms: imported, typesOf = [] }) =>
      path !== room.path && [...imported, ...typesOf].some((place) => within(file, place) || place.startsWith(own)),
  );
  return [own, ...importers.map(({ path }) => path)];
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

/** What follows from where to where, of the given kind of import. */
function edgesOf(file: string, sources: Sources, typesToo: boolean): string[] {
  return importsOf(file, sources.get(file) ?? '')
    .filter(({ target, typeOnly }) => target !== undefined && sources.has(target) && (typesToo || !typeOnly))
    .map(({ target }) => target as string);
}

/** The room of a file for questions of circles: the folder below `src`, in `core` and `adapters` the one below that. */
function roomOf(file: string): string {
  const parts = file.split('/');
  const depth = parts[1] === 'core' || parts[1] === 'adapters' ? 3 : 2;
  return parts.slice(0, Math.min(depth, parts.length - 1)).join('/');
}

/**
 * No file reaches itself at run time. Types may point at each other within a room, so that an interface and what makes
 * it stand where they belong; across rooms they go downwards like everything else.
 */
export function importCycles(sources: Sources): string[] {
  return [
    ...cyclesIn([...sources.keys()], (file) => edgesOf(file, sources, false)),
    ...cyclesIn([...new Set([...sources.keys()].map(roomOf))], (room) =>
      [...sources.keys()]
        .filter((file) => roomOf(file) === room)
        .flatMap((file) => edgesOf(file, sources, true).map(roomOf))
        .filter((other) => other !== room),
    ),
  ];
}

function cyclesIn(starts: readonly string[], next: (from: string) => readonly string[]): string[] {
  const lines: string[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (each: string): void => {
    const start = path.indexOf(each);
    if (start !== -1) {
      lines.push(`cycle: ${[...path.slice(start), each].join(' -> ')}`);
      return;
    }
    if (done.has(each)) return;
    path.push(each);
    for (const target of next(each)) visit(target);
    path.pop();
    done.add(each);
  };
  for (const start of starts) visit(start);
  return lines;
}

/** The longest way that a call at run time can go from file to file without leaving a folder. */
export function longestChain(sources: Sources, folder: string): readonly string[] {
  const known = new Map<string, readonly string[]>();
  const longest = (file: string): readonly string[] => {
    const made = known.get(file);
    if (made !== undefined) return made;
    known.set(file, [file]);
    const below = edgesOf(file, sources, false)
      .filter((target) => target.startsWith(folder))
      .map(longest);
    const chain = [file, ...below.reduce((a, b) => (a.length >= b.length ? a : b), [])];
    known.set(file, chain);
    return chain;
  };
  return [...sources.keys()]
    .filter((file) => file.startsWith(folder))
    .map(longest)
    .reduce((a, b) => (a.length >= b.length ? a : b), []);
}

/** How deep the interrupt room may be stacked: a reader has to keep the whole chain in mind. */
const DEEPEST = 8;

/** The interrupt room is no taller than a reader can keep in mind. */
export function chainDepth(sources: Sources): string[] {
  const chain = longestChain(sources, 'src/core/interrupt/');
  return chain.length <= DEEPEST
    ? []
    : [`${String(chain.length)} levels, ${String(DEEPEST)} allowed: ${chain.join(' -> ')}`];
}
