/** W3: from the key to the last process gone, in a pseudo-terminal. */
import { spawn } from '@lydell/node-pty';
import { fileURLToPath } from 'node:url';
import { median } from '../harness.ts';
import type { Workload } from '../workload.ts';

const agent = fileURLToPath(new URL('../agents/press.mjs', import.meta.url));

/** Each as a terminal sends ESC: as it always was, and by the Kitty protocol. */
const keys = { legacy: '\x1b', kitty: '\x1b[27u' } as const;

/** So many presses that one in a hundred is among them. */
const PRESSES = 100;

function percentile(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** Presses ESC each time a tool runs; returns the instants of each round by name. */
function press(rounds: number, key: string): Promise<Record<string, number>[]> {
  const terminal = spawn(process.execPath, [agent, String(rounds)], { cols: 80, rows: 24 });
  const found: Record<string, number>[] = [];
  let unread = '';
  terminal.onData((data) => {
    unread += data;
    for (let match = next(); match !== null; match = next()) {
      const [, what = '', at = ''] = match;
      if (what === 'running') {
        found.push({ pressed: performance.timeOrigin + performance.now() });
        terminal.write(key);
      }
      const round = found.at(-1);
      if (round !== undefined) round[what] = Number(at);
    }
  });
  const next = (): RegExpExecArray | null => {
    const match = /<(\w+) ([\d.]+)>/.exec(unread);
    if (match !== null) unread = unread.slice(match.index + match[0].length);
    return match;
  };
  return new Promise((resolve, reject) => {
    terminal.onExit(({ exitCode }) => {
      if (exitCode === 0 && found.every((round) => 'gone' in round)) resolve(found);
      else reject(new Error(`the agent left with ${String(exitCode)} and ${JSON.stringify(found)}`));
    });
  });
}

export const workload: Workload = {
  id: 'W3',
  title: 'ESC in a terminal, until a shell and its background job are gone',
  async measure(effort) {
    const presses = Math.max(effort.rounds, PRESSES);
    const rounds = await press(presses, keys.legacy);
    const waits = async (key: keyof typeof keys): Promise<number[]> => {
      const found = key === 'legacy' ? rounds : await press(presses, keys[key]);
      return found.map((round) => round['fired']! - round['pressed']!).sort((a, b) => a - b);
    };
    const [legacy, kitty] = [await waits('legacy'), await waits('kitty')];
    const phase = (from: string, to: string): number => median(rounds.map((round) => round[to]! - round[from]!));
    return [
      // An ESC could begin another key: most of this is the 50 ms that tell.
      { what: 'key pressed, until the interrupt is requested', value: phase('pressed', 'requested'), unit: 'ms' },
      { what: 'until the tool’s token has fired', value: phase('requested', 'fired'), unit: 'ms' },
      { what: 'until the last process is gone', value: phase('fired', 'gone'), unit: 'ms' },
      { what: 'key pressed, until the token has fired: p50', value: percentile(legacy, 0.5), unit: 'ms' },
      { what: 'the same: p99', value: percentile(legacy, 0.99), unit: 'ms' },
      { what: 'the same key by the Kitty protocol: p50', value: percentile(kitty, 0.5), unit: 'ms' },
      { what: 'the same: p99', value: percentile(kitty, 0.99), unit: 'ms' },
    ];
  },
};
