/**
 * Random process trees as shell lines: deaf processes, stopped ones, daemons that leave the group and their parents, that
 * clear their environment or overwrite it with a title, chains of forks, leaders that end first. Every process carries a
 * number that nobody else has.
 *
 * @module
 */
/** A number from 0 up to 1. */
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

/** In the command line of every process of a chain. */
const chainMark = 'my $chain = 1;';

/** Whether a process is another one every few milliseconds: the guide says that such a one may be missed. */
export function isOfChain(command: string): boolean {
  return command.includes(chainMark);
}

/** A process that is deaf to everybody polite has to start its sleep again: that one dies of the signal. */
function leaf(random: Random, tag: string, hides: boolean): string {
  const node = (program: string): string => `${quote(process.execPath)} -e ${quote(program)}`;
  const perl = (program: string): string => `perl -e ${quote(`use POSIX; my $tag = "${tag}"; ${program}`)}`;
  return pick(random, [
    `sleep ${tag}`,
    `sleep ${tag}`,
    `sh -c ${quote(`${deaf} while :; do sleep ${tag}; done`)}`,
    `sh -c ${quote(`sleep ${(random() * 0.4).toFixed(3)}; : ${tag}`)}`,
    // Without an environment, and in a session of its own.
    hides ? `env -i /usr/bin/env setsid sleep ${tag}` : `sleep ${tag}`,
    // A stopped process acts on nothing polite before it is continued.
    perl('kill STOP => $$; sleep 1000'),
    // A daemon: forked twice, in a session of its own, deaf.
    perl('exit 0 if fork; POSIX::setsid(); exit 0 if fork; $SIG{TERM} = "IGNORE"; sleep 1000'),
    // A title that overwrites the environment.
    hides ? perl('exit 0 if fork; POSIX::setsid(); $0 = "server $tag" . (" " x 3000); sleep 1000') : `sleep ${tag}`,
    // A chain: who is seen has handed on to the next, in a session of its own.
    hides
      ? perl(
          `${chainMark} my $end = time + 3; while (time < $end) { exit 0 if fork; POSIX::setsid(); select undef, undef, undef, 0.02 } sleep 1000`,
        )
      : `sleep ${tag}`,
    random() < 0.3 ? node(`process.on("SIGTERM", () => {}); setTimeout(() => {}, 1e8, "${tag}")`) : `sleep ${tag}`,
  ]);
}

/** How a child is started: beside its parent, in a session of its own, forked twice, with or without the pipe. */
function started(random: Random, line: string): string {
  return pick(random, [
    `${line} &`,
    `setsid ${line} &`,
    `(${line} &);`,
    `(setsid ${line} &);`,
    `(setsid ${line} >/dev/null 2>&1 &);`,
  ]);
}

/**
 * One tree as a line for `sh -c`.
 *
 * @param random Decides.
 * @param tag In every command line, and a number of seconds.
 * @param hides Whether some clear their environment, overwrite it, or fork on in a chain.
 * @param depth Of this level.
 */
export function treeLine(random: Random, tag: string, hides = true, depth = 1): string {
  const children = Array.from({ length: 1 + Math.floor(random() * (depth === 1 ? 3 : 2)) }, () => {
    const isLeaf = depth + 1 >= maxDepth || random() < 0.5;
    return started(
      random,
      isLeaf ? leaf(random, tag, hides) : `sh -c ${quote(treeLine(random, tag, hides, depth + 1))}`,
    );
  });
  const trap = random() < 0.25 ? deaf : '';
  return `${trap} ${children.join(' ')} ${depth === 1 ? 'echo ready;' : ''} ${ending(random, tag)}`;
}
