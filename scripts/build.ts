/**
 * `npm run build`: scripts and declarations by tsup. Then the scripts become few files in both formats, without the white space that
 * nobody needs, and the declarations are laid out so that every type can be named, and gain what `require` reads of them.
 *
 * @module
 */
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { writeStamp } from './built-stamp.ts';
import { dropUnused, writeCommonJsTypes } from './commonjs-types.ts';
import { layOut } from './declarations-layout.ts';
import { ofCodingAgent, readDoors } from './doors.ts';
import { root } from './gates/run.ts';
import { mergeChunks } from './merge-chunks.ts';
import { platformTypes } from './platform-types.ts';
import { withoutWhiteSpace } from './white-space.ts';

const tsup = join(root, 'node_modules/tsup/dist/cli-default.js');
const { status } = spawnSync(process.execPath, [tsup], { cwd: root, stdio: 'inherit' });
if (status !== 0) process.exit(status ?? 1);

const dist = join(root, 'dist');
const doors = readDoors(root).map(({ id }) => id);
/** The other side of a door, and the program. */
const beside = ['ambient/browser', 'bin/desist'];
const built = (pattern: string): string[] => globSync(pattern, { cwd: dist }).map((file) => join(dist, file));
await mergeChunks(dist, [...doors, ...beside], ofCodingAgent);
for (const file of built('**/*.{js,cjs}')) writeFileSync(file, withoutWhiteSpace(readFileSync(file, 'utf8')));
layOut(dist, doors, platformTypes);
dropUnused(built('**/*.d.ts'), platformTypes);
writeCommonJsTypes(dist, doors);
writeStamp(root, true);
