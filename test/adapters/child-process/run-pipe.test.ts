import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';

import { describe, expect, it, vi } from 'vitest';

import { OwnRunPipe } from '../../../src/adapters/child-process/run-pipe.ts';
import { newMarker } from '../../../src/adapters/internal/process/run-marker.ts';

const isLinux = process.platform === 'linux';
const openDescriptors = (): number => (isLinux ? readdirSync('/proc/self/fd').length : 0);
const filesOf = (marker: string): string[] =>
  ['/dev/shm', tmpdir()].flatMap((folder) => (isLinux ? readdirSync(folder) : [])).filter((n) => n.includes(marker));

it.each([
  ['ignore', ['ignore', 'ignore', 'ignore', 'pipe']],
  [
    ['ignore', 'pipe'],
    ['ignore', 'pipe', 'pipe', 'pipe'],
  ],
  [
    ['ignore', 'pipe', 'pipe', 'ipc'],
    ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
  ],
] as const)('stands behind what the caller asked for: %j', (given, expected) => {
  const pipe = new OwnRunPipe(given as never, newMarker());
  expect(pipe.stdio).toEqual(isLinux ? [...expected, expect.any(Number)] : expected);
  pipe.release();
});

it('is held while anybody who came from the command is alive', async () => {
  const onFree = vi.fn();
  const pipe = new OwnRunPipe('ignore', newMarker());
  pipe.started(spawn('sh', ['-c', 'sleep 0.2; sleep 0.3 & exit 0'], { stdio: pipe.stdio }), onFree);
  expect(pipe.isHeld()).toBe(true);
  await vi.waitFor(() => expect(onFree).toHaveBeenCalledOnce(), { timeout: 5000 });
  expect(pipe.isHeld()).toBe(false);
  pipe.release();
});

it('is held by nobody where nothing was started', () => {
  const before = openDescriptors();
  const pipe = new OwnRunPipe('ignore', newMarker());
  pipe.started({ pid: undefined } as never, () => undefined);
  expect(pipe.isHeld()).toBe(false);
  pipe.release();
  expect(openDescriptors()).toBe(before);
});

it('leaves neither a file nor a descriptor, also where the start threw', () => {
  const before = openDescriptors();
  const marker = newMarker();
  const pipe = new OwnRunPipe('ignore', marker);
  expect(filesOf(marker)).toEqual([]);
  pipe.release();
  pipe.release();
  expect(openDescriptors()).toBe(before);
});

describe.runIf(isLinux)('what all of a run have open', () => {
  it('is known by name before the command starts, and is open in who comes from it', async () => {
    const marker = newMarker();
    const pipe = new OwnRunPipe('ignore', marker);
    const { file } = pipe;
    expect(file).toContain(`/desist-${marker}`);
    const child = spawn('sh', ['-c', 'env -i sh -c "readlink /proc/\\$\\$/fd/4; exit 0" >&2'], {
      stdio: ['ignore', 'ignore', 'pipe', ...pipe.stdio.slice(3)],
    });
    pipe.started(child, () => undefined);
    const [seen] = (await once(child.stderr!, 'data')) as [Buffer];
    expect(seen.toString()).toBe(`${file!}\n`);
    pipe.release();
  });

  it('is made where that can be done', () => {
    const pipe = new OwnRunPipe('ignore', newMarker(), ['/nowhere', tmpdir()]);
    expect(pipe.file).toContain(`${tmpdir()}/desist-`);
    pipe.release();
  });

  it('is the end of the pipe where no file can be made', async () => {
    const pipe = new OwnRunPipe('ignore', newMarker(), ['/proc', '/nowhere']);
    expect(pipe.stdio).toEqual(['ignore', 'ignore', 'ignore', 'pipe']);
    const child = spawn('sh', ['-c', 'sleep 0.2'], { stdio: pipe.stdio });
    pipe.started(child, () => undefined);
    expect(pipe.file).toMatch(/^socket:\[\d+\]$/);
    await once(child, 'exit');
    pipe.release();
  });
});
