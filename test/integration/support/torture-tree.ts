/**
 * Random process trees as shell lines: shells and node, deaf ones, those that leave the group or both their parents, those
 * that hold the pipe, those that end at about the time of the stop. Every process carries a number that nobody else has.
 *
 * @module
 */
export type Random = () => number;

/** The same numbers for the same seed (mulberry32). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const maxDepth = 4;

/** Quotes a line for a shell inside a shell. */
function quote(line: string): string {
  return `'${line.replaceAll("'", `'\\''`)}'`;
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!;
}

/** What a process does once its children are started: sleeps for the tag's time, or ends soon. */
function ending(random: Random, tag: string): string {
  const soon = (random() * 0.4).toFixed(3);
  return pick(random, [`sleep ${tag}`, `sleep ${tag}`, `sleep ${tag} & wait`, `sleep ${soon}`, 'exit 0']);
}

const deaf = "trap '' TERM INT HUP;";

/** A process that is deaf to everybody polite has to start its sleep again: that one dies of the signal. */
function leaf(random: Random, tag: string): string {
  return pick(random, [
    `sleep ${tag}`,
    `sh -c ${quote(`${deaf} while :; do sleep ${tag}; done`)}`,
    `${quote(process.execPath)} -e ${quote(`setTimeout(() => {}, 1e8, "${tag}")`)}`,
    `${quote(process.execPath)} -e ${quote(`process.on("SIGTERM", () => {}); setTimeout(() => {}, 1e8, "${tag}")`)}`,
    `sh -c ${quote(`sleep ${(random() * 0.4).toFixed(3)}; : ${tag}`)}`,
  ]);
}

/** How a child is started: beside its parent, in a session of its own, forked twice, with or without the pipe. */
function started(random: Random, line: string): string {
  return pick(random, [
    `${line} &`,
    `setsid ${line} &`,
    `(${line} &)`,
    `(setsid ${line} &)`,
    `(setsid ${line} >/dev/null 2>&1 &)`,
  ]);
}

/** One tree as a line for `sh -c`. */
export function treeLine(random: Random, tag: string, depth = 1): string {
  const children = Array.from({ length: 1 + Math.floor(random() * (depth === 1 ? 3 : 2)) }, () => {
    const isLeaf = depth + 1 >= maxDepth || random() < 0.5;
    return started(random, isLeaf ? leaf(random, tag) : `sh -c ${quote(treeLine(random, tag, depth + 1))}`);
  });
  const trap = random() < 0.25 ? deaf : '';
  return `${trap} ${children.join(' ')} ${depth === 1 ? 'echo ready;' : ''} ${ending(random, tag)}`;
}
