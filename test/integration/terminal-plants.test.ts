/** Each test of the terminal can fail: with one place of the product changed, in the program that is played, it does. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';

import { describe, expect, it } from 'vitest';

import { planted } from './support/classic/criterion.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const keyboard = 'src/adapters/internal/keyboard';

/** Runs one test of a file, whose programs find the product changed. */
function runPlanted(file: string, title: string, env: Readonly<Record<string, string>>): Promise<string> {
  const args = ['node_modules/.bin/vitest', 'run', `test/integration/${file}.test.ts`, '-t', title];
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VITEST'));
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd: root, env: { ...Object.fromEntries(inherited), NO_COLOR: '1', SHOWN_WITHIN_MS: '8000', ...env } },
      (_error, stdout, stderr) => resolve(stdout + stderr),
    );
  });
}

const faults = [
  {
    fault: 'we read beside a prompt',
    file: 'terminal-prompts',
    title: 'S29 of readline that was lent the terminal keeps its ESC',
    plant: { file: `${keyboard}/stdin-owner.ts`, from: 'held && !this.#gate.isLent && ', to: 'held && ' },
  },
  {
    fault: 'Ctrl+C ends what runs in the background',
    file: 'sigint-ways',
    title: 'by a plain listener stops the turn',
    plant: {
      file: 'src/adapters/child-process/hand-over.ts',
      from: 'if (!token.canBeCancelled) supervisor',
      to: 'supervisor',
    },
  },
  {
    fault: 'Ctrl+Z stops us and not what has started us, in tmux',
    file: 'terminal-jobs',
    title: 'under npm run in tmux gives the terminal back',
    plant: { file: `${keyboard}/job-control.ts`, from: 'this.#stop(0)', to: 'this.#stop(this.#host.pid)' },
  },
  {
    fault: 'Ctrl+Z stops us and not what has started us, in the demo',
    file: 'terminal-jobs',
    title: 'at its prompt and at a question stops it',
    plant: { file: 'examples/agent/prompt.ts', from: '    suspendOnCtrlZ(lines);', to: '' },
  },
  {
    fault: 'what is no terminal is asked',
    file: 'terminal',
    title: 'S29 hears its keys where only the input is one',
    plant: { file: `${keyboard}/mode/terminal-switches.ts`, from: 'wishes.output.isTTY !== true', to: 'false' },
  },
  {
    fault: 'nothing holds the process in the background',
    file: 'terminal-front',
    title: 'S29 does so in the background, sent there',
    plant: { file: `${keyboard}/stdin-owner.ts`, from: 'want(held && ', to: 'want(this.#reading && ' },
  },
  {
    fault: 'nobody is in front between two programs',
    file: 'terminal-front',
    title: 'as program, program has it: kill -9',
    plant: { file: `${keyboard}/mode/lent-terminal.ts`, from: '() => this.takeUp()', to: '() => undefined' },
  },
  {
    fault: 'a terminal that is lost is not named',
    file: 'terminal-front',
    title: 'S29 a program says that it is lost',
    plant: { file: `${keyboard}/mode/lent-terminal.ts`, from: "front === 'lost'", to: "front === 'ours' && false" },
  },
  {
    fault: 'settings of a program stay after our end',
    file: 'terminal-front',
    title: 'S29 puts the settings back that the other one found',
    plant: { file: `${keyboard}/mode/lent-terminal.ts`, from: 'this.#found === found && ', to: 'false && ' },
  },
];

describe('a fault in the terminal is noticed', () => {
  it.each(faults.map((row) => [row.fault, row] as const))('where %s', { timeout: 240_000 }, async (_fault, row) => {
    const { file, title, plant } = row;
    const said = await runPlanted(file, title, planted(plant));
    expect(said).not.toContain('plant:');
    expect(said).toMatch(/Tests {2}1 failed/);
  });
});
