/** A conversation of which something was taken out or replaced is legal at once, in any state. */
import fc from 'fast-check';
import { expect, it } from 'vitest';

import { InterruptController, type TurnReport } from '../../../src/index.ts';
import {
  checkTranscript,
  Conversation,
  type DialectName,
  dialectNamed,
  mapDialect,
  messageWriter,
  type TranscriptDialect,
} from '../../../src/transcript/index.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { frameworks, wires, type Wire } from './support/wires.ts';

type AnyDialect = TranscriptDialect<object, unknown>;

const act = fc.oneof(
  fc.record({
    do: fc.constant('turn' as const),
    hasPrompt: fc.boolean(),
    calls: fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
    words: fc.boolean(),
    end: fc.constantFrom('runs', 'open', 'cut', 'empty'),
  }),
  fc.record({ do: fc.constant('drop' as const), turn: fc.nat(5) }),
  fc.record({ do: fc.constant('compact' as const), upTo: fc.nat(8), by: fc.constantFrom('nothing', 'text', 'reply') }),
  fc.constant({ do: 'fork' as const }),
  fc.constant({ do: 'open' as const }),
  fc.constant({ do: 'mark' as const }),
);

async function play(
  dialect: AnyDialect,
  wire: Wire,
  acts: readonly (typeof act extends fc.Arbitrary<infer T> ? T : never)[],
) {
  let chat = new Conversation(dialect);
  let reports: TurnReport<unknown>[] = [];
  for (const one of acts) {
    switch (one.do) {
      case 'turn': {
        const agent = new InterruptController();
        const calls = one.calls.map((id) => ({ id, name: 'read', mark: id }));
        const said = { words: one.words ? 'Hm.' : '', thought: '', calls };
        const report = await chat.runTurn(agent, one.hasPrompt ? 'Read.' : undefined, async (turn) => {
          if (one.end === 'empty') return;
          const reply = await turn.model(({ partial }) => {
            if (one.end !== 'cut') return wire.whole(said);
            partial(wire.fold(said));
            agent.cancel('user');
            return undefined;
          });
          if (one.end === 'runs') await turn.tools(reply.calls, () => 'text');
        });
        expect(report.status).not.toBe('failed');
        reports.push(report);
        break;
      }
      case 'drop': {
        const report = reports[one.turn];
        if (report !== undefined) chat.drop(report);
        break;
      }
      case 'compact': {
        const reply = messageWriter(dialect).reply(wire.whole({ words: 'So far.', thought: '', calls: [] }));
        const by = { nothing: [], text: ['So far.'], reply }[one.by];
        chat.compact(by, { upTo: Math.min(one.upTo, chat.messages.length) });
        break;
      }
      case 'mark':
        chat.mark();
        break;
      default:
        chat = one.do === 'fork' ? chat.fork() : new Conversation(dialect, { messages: chat.messages });
        reports = [];
    }
    expect(checkTranscript(chat.messages, { dialect })).toEqual([]);
  }
}

it.each([...wires, ...frameworks].map((wire) => [wire.name, wire] as const))(
  'a conversation of %s is legal after each turn, drop, summary and fork, also where nobody had said anything',
  async (name, wire) => {
    const own = dialectNamed(name as DialectName) as unknown as AnyDialect;
    const mapped = mapDialect<{ readonly wire?: object }, object>(own, {
      toWire: (one) => one.wire,
      fromWire: (one) => ({ wire: one }),
    }) as unknown as AnyDialect;
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 6 }), fc.boolean(), async (acts, isMapped) => {
        await play(isMapped ? mapped : own, wire, acts);
      }),
      { numRuns: propertyRuns(200) },
    );
  },
);
