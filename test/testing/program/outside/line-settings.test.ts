import { describe, expect, it } from 'vitest';

import { changedSettings, lineSettings } from '../../../../src/testing/program/outside/line-settings.ts';

const gnu = (id: string, flags: string, values = 'intr = ^C; quit = ^\\; min = 1; time = 0;'): string =>
  [
    id,
    'speed 38400 baud; rows 24; columns 80; line = 0;',
    values,
    '-parenb cs8 icrnl ixon',
    `opost onlcr ${flags}`,
  ].join('\n');
const bsd = (id: string, flags: string): string =>
  [id, 'speed 9600 baud; 24 rows; 80 columns;', `lflags: ${flags}`, 'cchars: intr = ^C; quit = ^\\;'].join('\n');

describe('the line of a terminal', () => {
  it('changed settings are none where all is the same, and where nothing could be asked', () => {
    expect(changedSettings(gnu('1:a', 'icanon echo'), gnu('1:a', 'icanon echo'))).toEqual([]);
  });

  it.each([
    ['GNU', gnu],
    ['BSD', bsd],
  ])('changed settings are named as %s has them, and the size of the window is none', (_name, shown) => {
    const after = shown('1:b', '-icanon echo').replace('80', '100').replace('24', '30');
    expect(changedSettings(shown('1:a', 'icanon echo'), after)).toEqual(['-icanon']);
  });

  it('a changed speed is one', () => {
    const after = gnu('1:b', 'icanon').replace('38400', '9600');
    expect(changedSettings(gnu('1:a', 'icanon'), after)).toEqual(['speed 9600 baud']);
  });

  it('changed settings are values too', () => {
    const after = gnu('1:b', 'icanon', 'intr = <undef>; quit = ^\\; min = 0; time = 0;');
    expect(changedSettings(gnu('1:a', 'icanon'), after)).toEqual(['intr = <undef>', 'min = 0']);
  });

  it('the settings of what is no terminal cannot be asked', async () => {
    expect(await lineSettings('/dev/null')).toBeUndefined();
    expect(await lineSettings('/no/such/terminal')).toBeUndefined();
  });

  it('changed settings are said also where they have no name, or could be asked once only', () => {
    expect(changedSettings('1:a', '1:b')).toEqual(['settings']);
  });
});

it('of a terminal that cannot be asked nothing is known', () => {
  expect([changedSettings(undefined, '1:a'), changedSettings('1:a', undefined)]).toEqual([undefined, undefined]);
});
