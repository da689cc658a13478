/**
 * Which files a configuration of TypeScript means, and the programs that know their types.
 *
 * @module
 */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import ts from 'typescript';

/** What somebody asked for cannot be done; the message says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** One configuration, read. */
export interface Project {
  readonly configPath: string;
  readonly options: ts.CompilerOptions;
  readonly fileNames: readonly string[];
}

const declaration = /\.d\.[cm]?ts$|\.json$/;
const skippedFile = /\.(?:test|spec|test-d|spec-d|stories)\.[cm]?[jt]sx?$/;
const skippedFolder =
  /(?:^|\/)(?:node_modules|dist|build|__tests__|__mocks__|__fixtures__|tests?|e2e|e2e-tests|test-utils)\//;

/** Whether a file only declares, or is no code. */
export function isDeclaration(file: string): boolean {
  return declaration.test(file);
}

/** Whether a source is one to look at: no test, and not made by a build. */
export function isAudited(file: string, root: string): boolean {
  return !skippedFile.test(file) && !skippedFolder.test(relative(root, file));
}

/**
 * Reads a configuration and those it refers to.
 *
 * @param path A file, or a folder with a `tsconfig.json`.
 * @param cwd What a relative path is relative to.
 * @throws {UsageError} Where there is none, or it cannot be read.
 */
export function readProjects(path: string, cwd: string): readonly Project[] {
  const projects: Project[] = [];
  const seen = new Set<string>();
  const read = (configPath: string): void => {
    if (seen.has(configPath)) return;
    seen.add(configPath);
    const { project, references } = readOne(configPath);
    if (project.fileNames.length > 0) projects.push(project);
    for (const reference of references) read(reference);
  };
  read(configIn(resolve(cwd, path)));
  if (projects.length === 0) throw new UsageError(`${path} names no files, and refers to no configuration that does`);
  return projects;
}

function configIn(path: string): string {
  const config = existsSync(path) && statSync(path).isDirectory() ? join(path, 'tsconfig.json') : path;
  if (!existsSync(config)) throw new UsageError(`there is no ${config}: name a tsconfig.json, or the folder of one`);
  return config;
}

function readOne(configPath: string): { readonly project: Project; readonly references: readonly string[] } {
  const read: { readonly config?: unknown; readonly error?: ts.Diagnostic } = ts.readConfigFile(configPath, (file) =>
    ts.sys.readFile(file),
  );
  const { config, error } = read;
  if (error !== undefined)
    throw new UsageError(`${configPath}: ${ts.flattenDiagnosticMessageText(error.messageText, ' ')}`);
  const parsed = ts.parseJsonConfigFileContent(config, ts.sys, dirname(configPath), undefined, configPath);
  // What a configuration extends may not be installed: what can be read is read.
  const fatal = parsed.errors.find(({ code }) => code !== 18_002 && code !== 18_003 && code !== 6053 && code !== 5083);
  if (fatal !== undefined && parsed.fileNames.length === 0 && (parsed.projectReferences ?? []).length === 0) {
    throw new UsageError(`${configPath}: ${ts.flattenDiagnosticMessageText(fatal.messageText, ' ')}`);
  }
  const references = (parsed.projectReferences ?? []).map((each) => configIn(ts.resolveProjectReferencePath(each)));
  return {
    project: { configPath, options: optionsFor(parsed.options), fileNames: [...new Set(parsed.fileNames.map(real))] },
    references,
  };
}

/** Where a file is, whatever links lead to it: git and the imports of others know it by that. */
function real(file: string): string {
  return existsSync(file) ? realpathSync(file) : file;
}

/** Nothing is written, and nothing is checked that is not asked for. */
function optionsFor(options: ts.CompilerOptions): ts.CompilerOptions {
  const { composite: _composite, incremental: _incremental, tsBuildInfoFile: _info, ...rest } = options;
  return { ...rest, noEmit: true, declaration: false, declarationMap: false, skipLibCheck: true };
}

/** Files as they were: what a file said, or that there was none. */
export type Overlay = ReadonlyMap<string, string | undefined>;

const nothing: Overlay = new Map();

/**
 * The program of a project, with some files as they were.
 *
 * @param like A program of the same project: what is the same is not read again.
 */
export function programOf(project: Project, overlay: Overlay = nothing, like?: ts.Program): ts.Program {
  const host = ts.createCompilerHost(project.options, true);
  const read = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...how) =>
    (overlay.has(file) ? undefined : like?.getSourceFile(file)) ?? read(file, ...how);
  if (overlay.size > 0) lay(overlay, host);
  return ts.createProgram({ rootNames: namesWith(project, overlay), options: project.options, host });
}

function namesWith(project: Project, overlay: Overlay): readonly string[] {
  const folder = `${dirname(project.configPath)}/`;
  const gone = [...overlay].filter(
    ([file, text]) => text !== undefined && file.startsWith(folder) && !existsSync(file),
  );
  const there = project.fileNames.filter((file) => !overlay.has(file) || overlay.get(file) !== undefined);
  return [...there, ...gone.map(([file]) => file)];
}

function lay(overlay: Overlay, host: ts.CompilerHost): void {
  const readFile = host.readFile.bind(host);
  const fileExists = host.fileExists.bind(host);
  host.readFile = (file) => (overlay.has(file) ? overlay.get(file) : readFile(file));
  host.fileExists = (file) => (overlay.has(file) ? overlay.get(file) !== undefined : fileExists(file));
}
