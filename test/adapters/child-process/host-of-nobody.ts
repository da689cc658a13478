/**
 * The host of a machine on which nothing runs but us, for tests that look right after a stop: with too many processes the
 * real one reads its table later.
 *
 * @module
 */
import type { ProcessTable } from '../../../src/adapters/internal/process/process-table.ts';
import type * as TreeHost from '../../../src/adapters/internal/process/tree-host.ts';
import { FakeTable } from '../internal/process/process-table-fake.ts';

/** The same module, with a table of nobody's. */
export function hostOfNobody(host: typeof TreeHost): typeof TreeHost {
  const nobody = new FakeTable();
  const hostProcessTable = (): ProcessTable | undefined => host.hostProcessTable() && nobody; // none on Windows
  const hostFamily: typeof host.hostFamily = (pid, marker, table = hostProcessTable(), pipe) =>
    host.hostFamily(pid, marker, table, pipe);
  return { ...host, hostProcessTable, hostFamily };
}
