/** The same as `option-objects.test.ts`, of what commands, threads, requests and a keyboard are given. */
import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { adopt, cancellableExec, cancellableSpawn, runSubprocessTool } from '../../src/adapters/child-process/index.ts';
import { watchGlobalHotkey } from '../../src/adapters/global-hotkey/index.ts';
import {
  fromEvent,
  fromRequest,
  fromWebSocket,
  statusHandler,
  stopHandler,
} from '../../src/adapters/http-request/index.ts';
import { resolveInterruptOptions } from '../../src/adapters/ink/interrupt-options.ts';
import { drainOnSignals } from '../../src/adapters/process-signals/index.ts';
import { createOutputGate, openStatusLine, watchInjection, watchTerminal } from '../../src/adapters/terminal/index.ts';
import { runBlocking, shareToken, superviseWorker } from '../../src/adapters/worker/index.ts';
import { InterruptController } from '../../src/index.ts';
import { SessionRegistry } from '../../src/sessions/index.ts';
import { describeOptions, type Taking } from '../support/option-objects.ts';

const agent = new InterruptController();
const authorize = (): boolean => true;
const gate = 'route, authorize, authorizeMs, onError';
const named = { name: 'x' };
const brief = { graceMs: 1 };

/** What becomes of a watched keyboard, which is closed afterwards. */
async function onTerminal(
  use: (terminal: ReturnType<typeof watchTerminal>) => unknown,
  options = {},
): Promise<unknown> {
  const terminal = watchTerminal(agent, { input: new PassThrough(), output: new PassThrough(), ...options });
  try {
    return await use(terminal);
  } finally {
    await terminal.close();
  }
}

/** What becomes of an open output, which is closed afterwards. */
async function onOutput(use: (output: ReturnType<typeof createOutputGate>) => unknown): Promise<unknown> {
  const output = createOutputGate(new PassThrough());
  try {
    return await use(output);
  } finally {
    output.close();
  }
}

const hosts: Readonly<Record<string, Taking>> = {
  'child-process adopt': {
    use: (o) => adopt({ pid: 2 ** 30 }, o),
    ...{ names: 'env, token, graceMs, stopSignals, background, detached, onSurvivor', right: brief },
  },
  'child-process cancellableExec': { use: (o) => cancellableExec('true', o), names: undefined, right: brief },
  'child-process cancellableSpawn': { use: (o) => cancellableSpawn('true', [], o), names: undefined, right: brief },
  'child-process runSubprocessTool': {
    use: (o) => runSubprocessTool(null, { start: () => 1, isRunning: () => false, kill: () => 1, result: () => 1 }, o),
    ...{ names: 'intervalMs, graceMs, onLateSettle', right: brief },
  },
  'worker runBlocking': {
    use: (o) => runBlocking(null, 'data:text/javascript,', [], o),
    ...{ names: 'graceMs, exportName, guardian', right: undefined },
  },
  'worker shareToken': {
    use: (o) => {
      shareToken(null, o).release();
    },
    ...{ names: 'graceMs, process', right: brief },
  },
  'worker superviseWorker': {
    use: (o) => superviseWorker(null, { terminate: () => 1 }, o),
    ...{ names: 'graceMs', right: undefined },
  },
  'http-request fromEvent': {
    use: (o) => {
      fromEvent(new EventEmitter(), 'x', o).release();
    },
    ...{ names: 'token, timeoutMs, name, reason', right: named },
  },
  'http-request fromRequest': {
    use: (o) => {
      fromRequest(new Request('http://localhost/'), o).release();
    },
    ...{ names: 'token, timeoutMs, name, disconnect, response', right: named },
  },
  'http-request fromWebSocket': {
    use: (o) => {
      fromWebSocket(new EventEmitter() as never, o).release();
    },
    ...{ names: 'token, timeoutMs, name, disconnect, readStop', right: named },
  },
  'http-request stopHandler': {
    use: (o) => stopHandler(new SessionRegistry(), o),
    names: `${gate}, clock, timeoutMs, allowKill, allowCrossSite, callerOf, perRun, perCaller, perMs`,
    right: { authorize },
  },
  'http-request statusHandler': {
    use: (o) => statusHandler(new SessionRegistry(), o),
    names: `${gate}, describe, describeMs, everyMs, keepAliveMs, maxMs, mostStreams, allowCrossSite, callerOf, perCaller, perMs, clock`,
    right: { authorize },
  },
  'process-signals drainOnSignals': {
    use: (o) => drainOnSignals(agent, o),
    names: 'timeoutMs, willRetry, signals, repeatMs, onSignal, onDrained, exitCode, onError, clock',
    right: undefined,
  },
  'terminal watchTerminal().prompt': {
    use: (o) => onTerminal(({ prompt }) => prompt(() => 1, o)),
    ...{ names: 'typeAhead, token, timeoutMs, escape', right: { typeAhead: 'hold' } },
  },
  'terminal watchTerminal().handle': {
    use: (o) => onTerminal(({ handle }) => handle(() => false, o)),
    ...{ names: 'priority', right: { priority: 1 } },
  },
  'terminal createOutputGate': {
    use: (o) => {
      createOutputGate(new PassThrough(), o).close();
    },
    ...{ names: 'holdLimit', right: { holdLimit: 5 } },
  },
  'terminal openStatusLine': {
    use: (o) =>
      onOutput((output) => {
        openStatusLine(output, agent, o).release();
      }),
    ...{ names: 'hint, cancelledLine, receipt, clock', right: { hint: 'x' } },
  },
  'terminal openStatusLine().progress': {
    use: (o) =>
      onOutput((output) => {
        const line = openStatusLine(output, agent);
        try {
          line.progress('x', o);
        } finally {
          line.release();
        }
      }),
    ...{ names: 'total, token', right: { total: 5 } },
  },
  'ink inkInterrupts().useInterrupt': {
    use: (o) => resolveInterruptOptions(o),
    ...{ names: 'escape, doubleMs, onIdleDoubleEscape, ctrlC, leaveMs, onLeave, clock', right: { doubleMs: 5 } },
  },
};

const keyboards: Readonly<Record<string, Taking>> = {
  'terminal watchTerminal': {
    use: (o) => watchTerminal(agent, o),
    names:
      'input, output, escape, doubleMs, onEscapeArmed, onIdleDoubleEscape, front, escTimeoutMs, fence, kitty, modifyOtherKeys, paste, focus, ctrlC, ctrlZ, leaveMs, onLeave, onLeaveArmed, onHint, typeAhead, inject, keepAlive, crashGuard, clock',
    right: undefined,
  },
  'terminal watchInjection': {
    use: (o) => onTerminal((terminal) => watchInjection(terminal, agent as never, o)),
    ...{ names: 'output, key, prompt, leave, delivery, readLine, toMessage, onUndelivered', right: undefined },
  },
  'global-hotkey watchGlobalHotkey': {
    use: (o) => watchGlobalHotkey(agent, o),
    names:
      'key, mode, doubleMs, onArmed, gate, windowId, applications, focusProbe, unknownFocus, front, input, resolveFrom, clock',
    right: undefined,
  },
};

describeOptions({ ...hosts, ...keyboards });
