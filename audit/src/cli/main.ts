/**
 * The program: reads the command line, looks, writes, and says how it ended.
 *
 * @module
 */
import { readFileSync, realpathSync } from 'node:fs';

import type ts from 'typescript';

import { added } from './added.ts';
import { help, readArguments, type Arguments } from './arguments.ts';
import { auditProgram, rulesFor, type Audit, type Finding } from './audit.ts';
import { programOf, readProjects, UsageError, type Overlay, type Project } from './project.ts';
import { asJson, asTable } from './report.ts';
import { filesAt } from './revision.ts';

/** What the program reads and writes, besides files. */
export interface Surroundings {
  readonly cwd: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

/**
 * Runs the program.
 *
 * @returns The exit code: 0; 1 beyond `--max`; 2 if it could not look, or with `--max` not into every file.
 */
export function main(args: readonly string[], { cwd, out, err }: Surroundings): number {
  try {
    const asked = readArguments(args);
    if (asked.help) {
      out(help);
      return 0;
    }
    if (asked.version) {
      out(`${versionOf()}\n`);
      return 0;
    }
    const audit = look(asked, realpathSync(cwd));
    out(asked.json ? asJson(audit, asked.since) : asTable(audit, asked.since));
    if (asked.max === undefined) return 0;
    if (audit.findings.length > asked.max) return 1;
    // Who asks for a limit must not take what nobody has read for clean.
    return audit.unread.length > 0 ? 2 : 0;
  } catch (error) {
    // 1 means findings: what nobody foresaw must not look like them.
    err(`desist-audit: ${error instanceof UsageError ? error.message : String((error as Error).stack ?? error)}\n`);
    return 2;
  }
}

function look({ tsconfig, since, ...asked }: Arguments, cwd: string): Audit {
  const rules = rulesFor(asked);
  const then = since === undefined ? undefined : filesAt(since, cwd);
  const projects = readProjects(tsconfig, cwd);
  const { programs, ...now } = auditAll(projects, cwd, rules);
  if (then === undefined) return now;
  if (then.size === 0) return { ...now, findings: [] };
  const before = auditAll(projects, cwd, rules, { overlay: then, programs });
  return { ...now, findings: added(now.findings, before.findings) };
}

/** How it was: the files that were others, and the programs of now to take the rest from. */
interface Before {
  readonly overlay: Overlay;
  readonly programs: ReadonlyMap<Project, ts.Program>;
}

/** A file that several configurations mean is looked at once. */
function auditAll(
  projects: readonly Project[],
  cwd: string,
  rules: readonly string[],
  before?: Before,
): Audit & Pick<Before, 'programs'> {
  const programs = new Map<Project, ts.Program>();
  const seen = new Set<string>();
  const findings: Finding[] = [];
  const unread: string[] = [];
  let [files, skipped] = [0, 0];
  for (const project of projects) {
    const program = programOf(project, before?.overlay, before?.programs.get(project));
    programs.set(project, program);
    const fresh = program.getRootFileNames().filter((file) => !seen.has(file));
    for (const file of fresh) seen.add(file);
    const audit = auditProgram(program, fresh, cwd, rules);
    findings.push(...audit.findings);
    unread.push(...audit.unread);
    files += audit.files;
    skipped += audit.skipped;
  }
  return { findings: findings.sort(byPlace), files, skipped, unread, programs };
}

function byPlace(one: Finding, other: Finding): number {
  if (one.file !== other.file) return one.file < other.file ? -1 : 1;
  return one.line - other.line || one.column - other.column;
}

function versionOf(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
