/**
 * The tools that a request declares, in one shape for every protocol, and an input that the declared schema takes.
 * Prior art: the tool definitions of the providers' SDKs.
 *
 * @module
 */
import { isFields, listOf, type Fields } from '../transcript-rules/fields.ts';

/** A request, as far as its tools are asked for. */
export interface RequestBody {
  readonly body: Fields;
}

/**
 * A tool as a request declares it.
 *
 * @since 0.1.0
 */
export interface RequestTool {
  /** The name that a call has to use. */
  readonly name: string;
  /** What the program says of it; empty if it says nothing. */
  readonly description: string;
  /** The JSON schema of its input; an empty object if there is none. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Fields in which shell tools take their command, most telling first. */
const commandFields = ['command', 'cmd', 'commands', 'script', 'command_line', 'code', 'input', 'text'] as const;

/** Names that are a shell's whatever their field is called, and names that are likely to be. */
const shellNames =
  /^(?:bash|shell|local_shell|terminal|exec_command|run_shell_command|execute_command|execute_bash|run_(?:in_)?terminal(?:_cmd)?|run_commands?)$/i;
const likelyNames = /bash|shell|exec|terminal|command|^run$/i;

function schemaOf(tool: Fields): Fields {
  const inner = isFields(tool['function']) ? tool['function'] : {};
  const candidates = [
    tool['input_schema'],
    tool['parameters'],
    tool['parametersJsonSchema'],
    tool['inputSchema'],
    inner['parameters'],
  ];
  return candidates.find(isFields) ?? {};
}

/** The tools that a request declares, in their order, those of nested lists (Gemini) included. */
export function toolsOf(request: RequestBody): readonly RequestTool[] {
  const declared = listOf(request.body['tools']).flatMap((tool) => {
    const nested = tool['functionDeclarations'] ?? tool['function_declarations'];
    return Array.isArray(nested) ? listOf(nested) : [tool];
  });
  return declared.flatMap((tool) => {
    const inner = isFields(tool['function']) ? tool['function'] : {};
    const name = tool['name'] ?? inner['name'] ?? tool['type'];
    if (typeof name !== 'string') return [];
    const description = tool['description'] ?? inner['description'];
    return [{ name, description: typeof description === 'string' ? description : '', schema: schemaOf(tool) }];
  });
}

function propertiesOf({ schema }: RequestTool): Fields {
  return isFields(schema['properties']) ? schema['properties'] : {};
}

/** The field that takes a command, if the tool has one. */
function commandFieldOf(tool: RequestTool): string | undefined {
  const properties = propertiesOf(tool);
  return commandFields.find((field) => field in properties);
}

/** How much a tool looks like the one that runs commands. */
function shellScore(tool: RequestTool): number {
  const field = commandFieldOf(tool);
  if (field === undefined) return 0;
  const byName = shellNames.test(tool.name) ? 5 : likelyNames.test(tool.name) ? 3 : 0;
  const byField = ['code', 'input', 'text'].includes(field) ? 0 : 2;
  return byName + byField;
}

/** The tool of a request that runs shell commands, told by its name and its schema: of several the one that looks most like it. */
export function shellToolIn(request: RequestBody): RequestTool | undefined {
  let best: { readonly tool: RequestTool; readonly score: number } | undefined;
  for (const tool of toolsOf(request)) {
    const score = shellScore(tool);
    if (score >= 4 && score > (best?.score ?? 0)) best = { tool, score };
  }
  return best?.tool;
}

/** A value that a schema takes. */
function sampleOf(schema: unknown): unknown {
  if (!isFields(schema)) return 'check';
  if (Array.isArray(schema['enum']) && schema['enum'].length > 0) return schema['enum'][0] as unknown;
  switch (typeOf(schema)) {
    case 'number':
    case 'integer':
      // A limit in ms more often than anything else: one that does not end the command.
      return 120_000;
    case 'boolean':
      return false;
    case 'array':
      return [];
    case 'object':
      return {};
    default:
      return 'check';
  }
}

/** Gemini writes its types in capitals; others give a list, or alternatives. */
function typeOf(schema: Fields): string | undefined {
  const { type, anyOf } = schema;
  if (typeof type === 'string') return type.toLowerCase();
  if (Array.isArray(type)) return type.map(String).find((one) => one !== 'null');
  return listOf(anyOf)
    .map(typeOf)
    .find((one) => one !== undefined && one !== 'null');
}

/**
 * An input for a shell tool that runs a command; what else the schema requires is filled in.
 *
 * A field that takes a list gets `['bash', '-c', command]` where the tool is named after a shell, and else the command alone.
 *
 * @throws TypeError – the tool has no field that takes a command.
 */
export function inputFor(tool: RequestTool, command: string): Readonly<Record<string, unknown>> {
  const field = commandFieldOf(tool);
  if (field === undefined) throw new TypeError(`the tool ${tool.name} has no field for a command`);
  const properties = propertiesOf(tool);
  const own = isFields(properties[field]) ? properties[field] : {};
  // The words of one command; any other list is one of commands, or of lines.
  const list = /^(?:command|cmd)/.test(field) && field !== 'commands' ? ['bash', '-c', command] : [command];
  const input: Record<string, unknown> = { [field]: typeOf(own) === 'array' ? list : command };
  const required = Array.isArray(tool.schema['required']) ? tool.schema['required'].map(String) : [];
  for (const name of required) if (!(name in input)) input[name] = sampleOf(properties[name]);
  return input;
}
