import plugin from '../../src/index.ts';
import { killTheTreeCases } from './cases/kill-the-tree.ts';
import { orphansCases } from './cases/orphans.ts';
import { passSignalCases } from './cases/pass-signal.ts';
import { rethrowStopsCases } from './cases/rethrow-stops.ts';
import { takeSignalCases } from './cases/take-signal.ts';
import { testRules, type TestedRule } from './harness.ts';
import { pageCase } from './pages.ts';

const tested: readonly TestedRule[] = [
  { name: 'pass-signal', rule: plugin.rules['pass-signal'], cases: passSignalCases },
  { name: 'take-signal', rule: plugin.rules['take-signal'], cases: takeSignalCases },
  { name: 'rethrow-stops', rule: plugin.rules['rethrow-stops'], cases: rethrowStopsCases },
  { name: 'kill-the-tree', rule: plugin.rules['kill-the-tree'], cases: killTheTreeCases },
  { name: 'orphans', rule: plugin.rules.orphans, cases: orphansCases },
];

testRules(
  tested.map(({ name, rule, cases: { valid, invalid } }) => ({
    name,
    rule,
    cases: { valid, invalid: [...invalid, pageCase(name)] },
  })),
);
