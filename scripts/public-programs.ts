/**
 * Public agent programs, and how `desist check` speaks to them: an address in the environment is enough for few, so most have a file.
 *
 * @module
 */
import type { ProgramProfile } from '../src/testing/program/index.ts';

/** A program of the registry. In its profile `{bin}` is the folder of its programs. */
export interface PublicProgram {
  readonly package: string;
  readonly profile: ProgramProfile;
}

const cli = (name: string, ...args: readonly string[]): readonly string[] => ['{node}', `{bin}/${name}`, ...args];

const quiet = {
  general: { disableAutoUpdate: true, enableAutoUpdate: false, disableUpdateNag: true },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  ide: { enabled: false, hasSeenNudge: true },
};

const piModel = {
  id: 'm',
  name: 'm',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 200_000,
  maxTokens: 4096,
};

const codexConfig = `model = "gpt-5"
model_provider = "check"
check_for_update_on_startup = false
[model_providers.check]
name = "check"
base_url = "{url}/v1"
env_key = "OPENAI_API_KEY"
wire_api = "responses"
supports_websockets = false
[projects."{work}"]
trust_level = "trusted"
[analytics]
enabled = false
`;

/** By the name under which they are asked for. */
export const publicPrograms: Readonly<Record<string, PublicProgram>> = {
  gemini: {
    package: '@google/gemini-cli',
    profile: {
      command: cli('gemini', '--yolo', '-m', 'gemini-2.5-flash'),
      env: { GEMINI_CLI_TRUST_WORKSPACE: 'true', GEMINI_TELEMETRY_ENABLED: 'false' },
      files: {
        '.gemini/settings.json': {
          ...quiet,
          security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
        },
      },
      ready: 'Type your message',
    },
  },
  qwen: {
    package: '@qwen-code/qwen-code',
    profile: {
      command: cli('qwen', '--yolo'),
      env: { OPENAI_MODEL: 'm' },
      files: { '.qwen/settings.json': { ...quiet, security: { auth: { selectedType: 'openai' } } } },
      ready: 'Type your message',
    },
  },
  codex: {
    package: '@openai/codex',
    profile: {
      command: cli('codex', '--dangerously-bypass-approvals-and-sandbox'),
      files: { '.codex/config.toml': codexConfig },
      ready: 'permissions:',
      settleMs: 3500,
    },
  },
  opencode: {
    package: 'opencode-ai',
    profile: {
      command: ['{bin}/opencode'],
      env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
      files: {
        '.config/opencode/opencode.json': {
          autoupdate: false,
          share: 'disabled',
          model: 'check/m',
          permission: { edit: 'allow', bash: 'allow' },
          provider: {
            check: {
              npm: '@ai-sdk/openai-compatible',
              name: 'check',
              options: { baseURL: '{url}/v1', apiKey: 'none' },
              models: { m: { name: 'm' } },
            },
          },
        },
      },
      ready: 'Ask anything',
      settleMs: 1500,
      stop: ['\u001b', '\u001b'],
    },
  },
  pi: {
    package: '@mariozechner/pi-coding-agent',
    profile: {
      command: cli('pi', '--provider', 'check', '--model', 'm'),
      env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
      files: {
        '.pi/agent/models.json': {
          providers: { check: { baseUrl: '{url}', api: 'anthropic-messages', apiKey: 'none', models: [piModel] } },
        },
      },
      ready: '\\(check\\)|0\\.0%',
    },
  },
  continue: {
    package: '@continuedev/cli',
    profile: {
      command: cli('cn', '--config', '{home}/config.yaml', '--auto'),
      env: { CONTINUE_TELEMETRY_ENABLED: '0', CONTINUE_ALLOW_ANONYMOUS_TELEMETRY: '0' },
      files: {
        'config.yaml': `name: check
version: 0.0.1
schema: v1
models:
  - name: m
    provider: openai
    model: m
    apiKey: none
    apiBase: "{url}/v1"
    capabilities: [tool_use]
    roles: [chat]
`,
        '.continue/.onboarding_complete': '1',
      },
      ready: 'Ask anything',
    },
  },
};
