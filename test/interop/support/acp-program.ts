/**
 * A program with an ACP agent that hears no SIGTERM, and a daemon of it: `acp-program.ts tag`. It says "up" when it has made
 * its client, and ends when it is told to.
 *
 * @module
 */
import { spawn } from 'node:child_process';

import { acpClient } from '../../../src/adapters/acp/index.ts';
import { markedEnvironment } from '../../../src/adapters/child-process/index.ts';

const [tag = ''] = process.argv.slice(2);
const deaf = `trap '' TERM; while :; do sleep ${tag}; done`;
const env = { ...process.env, ...markedEnvironment() };
const line = `(setsid sh -c "${deaf}" &) ; ${deaf}`;
acpClient({ agentProcess: spawn('sh', ['-c', line], { stdio: 'ignore', env }), env });
console.log('up');
process.stdin.once('data', () => process.exit());
