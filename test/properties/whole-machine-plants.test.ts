/**
 * The property of the whole machine finds each of these faults when it is planted, among the programs that it always runs.
 */
import { describe, expect, it } from 'vitest';

import { seek } from './machine/broken-source.ts';
import { RUNS, SEED } from './machine/runs.ts';
import type { Fault } from './support/broken-source.ts';

const faults: readonly (Fault & { readonly name: string; readonly law: RegExp })[] = [
  {
    name: 'work that outlives its turn is not named',
    file: 'core/interrupt/calls/tool-call.ts',
    found: `if (outcome.status === 'abandoned') turn.operations.giveUp(operation, this.source);`,
    replaced: `if (outcome.status === 'abandoned') turn.operations.end(operation, 'cancelled');`,
    law: /names \[.*\], and \[.*call\d+.*\] run/,
  },
  {
    name: 'a deaf leaf makes the levels above it "still running"',
    file: 'core/combinators/engine/grace.ts',
    found: 'for (const holder of holders) holder.hold();',
    replaced: '',
    law: /is unknown, and only waited for others/,
  },
  {
    name: 'what was given up earlier is not named later',
    file: 'core/interrupt/turn/turn-run.ts',
    found: '...this.agent.stillRunning.list()',
    replaced: '',
    law: /names \[.*\], and \[.*\] run/,
  },
  {
    name: 'a message is delivered twice',
    file: 'core/interrupt/messages/turn-messages.ts',
    found: 'const read = this.#takeForNow();',
    replaced: 'const read = [...(this.#forNow ?? NONE)];',
    law: /turned up in/,
  },
  {
    name: 'a call is started after the stop',
    file: 'core/interrupt/calls/tool-call.ts',
    found: `const reason = turn.refusal('tool', this.name) ?? this.source.reason ?? token?.reason;`,
    replaced: 'const reason = token?.reason;',
    law: /started after the/,
  },
  {
    name: 'an outcome comes after the end of its turn',
    file: 'core/interrupt/calls/tool-batch.ts',
    found: `    } else if (!turn.isOver) {
      turn.agent.emit(`,
    replaced: `    } else {
      turn.agent.emit(`,
    law: /tool-outcome after the end of/,
  },
  {
    name: 'one turn has two reasons',
    file: 'core/interrupt/stops/stop-record.ts',
    found: 'canChange(token) && !isKilled(token) : isLive(token);',
    replaced: 'canChange(token) && !isKilled(token) : canChange(token);',
    law: /ended by stop \d+, not by stop \d+/,
  },
  {
    name: 'a stop is announced before it is marked',
    file: 'core/interrupt/stops/stop-request.ts',
    found: 'const reached = new Set<AimedAgent>();',
    replaced: 'const reached = new Set<AimedAgent>(); agent.events.announce(kind, reason);',
    law: /ended by stop \d+, and nobody stopped it/,
  },
  {
    name: 'background work runs behind the report of a stop of everything',
    file: 'core/interrupt/stops/stop-request.ts',
    found: 'const ended = background.map(({ whenEnded }) => whenEnded);',
    replaced: 'const ended = []; background.length = 0;',
    law: /has settled, and background\d+ runs/,
  },
  {
    name: 'a sub-agent beside the turns is not reached',
    file: 'core/interrupt/stops/stop-request.ts',
    found: 'const beside = turnId === undefined ? besideIn(agent) : [];',
    replaced: 'const beside: AimedAgent[] = [];',
    law: /was stopped and is/,
  },
  {
    name: 'a rejection of a model call that nobody awaits is unhandled',
    file: 'core/interrupt/calls/model-call.ts',
    found: 'this.promise.catch(ignore);',
    replaced: '',
    law: /nobody handled/,
  },
  {
    name: 'a call has no outcome',
    file: 'core/interrupt/calls/tool-call.ts',
    found: 'this.settings.ended(this, outcome);',
    replaced: `if (outcome.status !== 'stopped') this.settings.ended(this, outcome);`,
    law: /have no report|has no outcome|has no end/,
  },
  {
    name: 'the report says completed of a call whose row does not',
    file: 'core/interrupt/calls/tool-call.ts',
    found: 'turn.operations.end(operation, ended);',
    replaced: `turn.operations.end(operation, 'completed');`,
    law: /call\d+ is (stopped|not-started) in its row, and completed in a report/,
  },
  {
    name: 'a call that only waits for what is elsewhere is named as left running',
    file: 'core/interrupt/calls/tool-call.ts',
    found: `verdict.status === 'unknown' && left?.isOver === true ? 'cancelled' : operationOutcomes[verdict.status]`,
    replaced: 'operationOutcomes[verdict.status]',
    law: /names \[.*call\d+.*\], and/,
  },
  {
    name: 'a stop of what waits, or works beside the turns, is announced to nobody',
    file: 'core/interrupt/stops/stop-request.ts',
    found: 'if (isNew) agent.events.announce(kind, reason);',
    replaced: '',
    law: /was announced 0 times/,
  },
];

describe('the property of the whole machine', { timeout: 120_000 }, () => {
  it.each(faults)('the property finds that $name', async ({ name, law, ...fault }) => {
    const finding = await seek(SEED, RUNS, fault);
    if (process.env['SHOW_FINDINGS'] !== undefined)
      process.stdout.write(`${name}: program ${String(finding?.run)}: ${finding?.broken.join(' · ') ?? 'nothing'}\n`);
    expect(finding?.broken.join('\n')).toMatch(law);
  });

  it('the property finds nothing where nothing is broken', async () => {
    expect(await seek(SEED, 300)).toBeUndefined();
  });
});
