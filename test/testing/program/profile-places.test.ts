import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

import { environmentOf, fillIn, writeFiles } from '../../../src/testing/program/profile-places.ts';
import { folder } from './support.ts';

const places = { url: 'http://127.0.0.1:1', home: '/h', work: '/w', mcp: '/m.cjs' };

it('places are filled in everywhere, and what is no place stays', () => {
  expect(fillIn({ '{home}/a': ['{url}/v1', { b: '{work} {other} {constructor}', c: 1 }] }, places)).toEqual({
    '/h/a': ['http://127.0.0.1:1/v1', { b: '/w {other} {constructor}', c: 1 }],
  });
});

it('an environment points every provider at the loopback, holds nothing of ours, and the profile has the last word', () => {
  const env = environmentOf({ command: ['agent'], env: { OPENAI_API_KEY: 'mine', CONFIG: '{home}/c' } }, places);
  expect(env).toMatchObject({ HOME: '/h', ANTHROPIC_BASE_URL: places.url, OPENAI_BASE_URL: `${places.url}/v1` });
  expect(env).toMatchObject({ OPENAI_API_KEY: 'mine', CONFIG: '/h/c', DO_NOT_TRACK: '1' });
  const ours = Object.keys(process.env).filter((name) => name in env && env[name] === process.env[name]);
  expect(ours.filter((name) => !['PATH', 'TERM', 'COLORTERM', 'LANG', 'SHELL', 'DO_NOT_TRACK'].includes(name))).toEqual(
    [],
  );
});

it.skipIf(process.platform === 'win32')(
  'files are written in the home and in the folder, and through no link that a program has made there',
  () => {
    const [home, work, outside] = [folder(), folder(), folder()];
    const here = { ...places, home, work };
    writeFiles({ 'a/b.json': { url: '{url}' }, '{work}/c': 'text' }, here);
    expect(JSON.parse(readFileSync(join(home, 'a/b.json'), 'utf8'))).toEqual({ url: places.url });
    expect(readFileSync(join(work, 'c'), 'utf8')).toBe('text');
    symlinkSync(outside, join(home, 'folder'));
    expect(() => {
      writeFiles({ 'folder/deep/d': '' }, here);
    }).toThrow('the program has made a link');
    symlinkSync(join(outside, 'e'), join(home, 'e'));
    writeFiles({ e: 'mine' }, here);
    expect([
      existsSync(join(outside, 'deep')),
      existsSync(join(outside, 'e')),
      readFileSync(join(home, 'e'), 'utf8'),
    ]).toEqual([false, false, 'mine']);
    mkdirSync(join(home, 'kept'));
    expect(() => {
      writeFiles({ '../f': '' }, here);
    }).toThrow('outside of its home');
  },
);

it('a home that the program has removed is made again for its files', () => {
  const [home, work] = [folder(), folder()];
  rmSync(home, { recursive: true });
  writeFiles({ a: 'text' }, { ...places, home, work });
  expect(readFileSync(join(home, 'a'), 'utf8')).toBe('text');
});
