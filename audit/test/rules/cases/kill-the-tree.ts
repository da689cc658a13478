import type { RuleCases } from '../harness.ts';

const node = "import { exec, spawn, type ChildProcess } from 'node:child_process';";

export const killTheTreeCases: RuleCases = {
  valid: [
    {
      name: 'a program without a shell',
      code: `${node}
const child = spawn('node', ['server.js']);
export const stop = () => child.kill();`,
    },
    {
      name: 'a shell in a group of its own, which is signalled as a whole',
      code: `${node}
const child = spawn('npm run dev', { shell: true, detached: true });
export const stop = () => process.kill(-Number(child.pid));`,
    },
    {
      name: 'a tree that a program kills',
      code: `${node}
declare function treeKill(pid: number): void;
const child = spawn('npm run dev', { shell: true });
export function stop() { treeKill(Number(child.pid)); child.kill(); }`,
    },
    {
      name: 'a shell that nobody is seen to kill',
      code: `${node}
export const start = () => spawn('npm run dev', { shell: true });`,
    },
    {
      name: 'a shell only on one platform',
      code: `${node}
const child = spawn('npm', ['test'], { shell: process.platform === 'win32' });
export const stop = () => child.kill();`,
    },
    {
      name: 'a child that comes from elsewhere',
      code: `${node}
export const stop = (child: ChildProcess) => child.kill();`,
    },
    {
      name: 'a pseudo-terminal, whose end reaches all that is in it',
      code: `interface Pty { kill(signal?: string): void }
declare const terminals: { spawn(file: string, args: string[]): Pty };
export class Driver {
  #pty = terminals.spawn('/bin/sh', ['-c', 'npm test']);
  stop() { this.#pty.kill('SIGHUP'); }
}
const pty = terminals.spawn('bash', []);
export const stop = () => pty.kill();`,
    },
    {
      name: 'a function of the project that kills the group',
      code: `${node}
function killGroup(child: ChildProcess) { process.kill(-Number(child.pid)); }
const child = spawn('npm run dev', { shell: true });
export const stop = () => { killGroup(child); child.kill(); };`,
    },
    {
      name: 'an empty name is no shell',
      code: `${node}
const child = spawn('node', ['server.js'], { shell: '' });
export const stop = () => child.kill();`,
    },
  ],
  invalid: [
    {
      name: 'a shell that is killed alone',
      code: `${node}
const child = spawn('npm run dev', { shell: true });
export const stop = () => child.kill();`,
      finds: 'killed',
      mended: null,
    },
    {
      name: 'a shell by its name, in a field of a class',
      code: `${node}
export class Dev {
  #child: ChildProcess | undefined;
  start() { this.#child = spawn('bash', ['-c', 'npm run dev']); }
  stop() { this.#child?.kill('SIGTERM'); }
}`,
      finds: 'killed',
      mended: null,
    },
    {
      name: 'exec, which is a shell',
      code: `${node}
const child = exec('npm run dev');
export const stop = () => child.kill();`,
      finds: 'killed',
      mended: null,
    },
    {
      name: 'a shell that is aborted alone',
      code: `${node}
export const start = (signal: AbortSignal) => spawn('npm run dev', { shell: true, signal });`,
      finds: 'aborted',
      mended: null,
    },
    {
      name: 'a shell in a field that is made with its class',
      code: `${node}
export class Dev {
  child = spawn('sh', ['-c', 'npm run dev']);
  stop() { this.child.kill(); }
}`,
      finds: 'killed',
      mended: null,
    },
    {
      name: 'a shell of a field under another name',
      code: `${node}
export class Dev {
  #child: ChildProcess | undefined;
  start() { this.#child = exec('npm run dev'); }
  stop() { const child = this.#child; child?.kill(); }
}`,
      finds: 'killed',
      mended: null,
    },
    {
      name: 'exec under another name',
      code: `import { exec as run } from 'node:child_process';
const child = run('npm run dev');
export const stop = () => child.kill();`,
      finds: 'killed',
      mended: null,
    },
  ],
};
