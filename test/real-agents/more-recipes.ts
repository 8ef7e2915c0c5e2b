/**
 * Six agents more, of which Holdfast knows nothing or little: each lives what docs/agents.md has a
 * table of (lives.suite.ts).
 */
import type { Recipe } from './recipes.ts'

const scripted = {
  name: 'Scripted',
  limit: { context: 128_000, output: 8192 },
}

const likeCodex = [
  'model = "scripted-1"',
  'approval_policy = "on-request"',
  'sandbox_mode = "read-only"',
  '',
].join('\n')

const kiloSettings = {
  model: 'script/scripted-1',
  small_model: 'script/scripted-1',
  autoupdate: false,
  share: 'disabled',
  enabled_providers: ['script'],
  permission: { edit: 'ask', bash: 'ask' },
  provider: {
    script: {
      npm: '@ai-sdk/openai-compatible',
      name: 'Script',
      options: { baseURL: 'MODEL/v1', apiKey: 'not-a-key' },
      models: { 'scripted-1': scripted },
    },
  },
}

const nanocoderSettings = {
  nanocoder: {
    providers: [
      { name: 'script', baseUrl: 'MODEL/v1', apiKey: 'not-a-key', models: ['scripted-1'] },
    ],
  },
}

export const moreRecipes: Readonly<Record<string, Recipe>> = {
  'codex-zed': {
    packages: ['@zed-industries/codex-acp@0.16.0'],
    program: 'codex-acp',
    args: [],
    node: 'ours',
    env: { CODEX_HOME: 'HOME/.codex', OPENAI_API_KEY: 'not-a-key', NO_BROWSER: '1' },
    files: {
      '.codex/config.toml': [
        'model_provider = "script"',
        'check_for_update_on_startup = false',
        likeCodex,
        '[model_providers.script]',
        'name = "Script"',
        'base_url = "MODEL/v1"',
        'env_key = "OPENAI_API_KEY"',
        'wire_api = "responses"',
        '',
      ].join('\n'),
    },
    filesWithoutModel: { '.codex/config.toml': likeCodex },
    argsBehindGateway: [
      'model_provider="holdfast"',
      'model_providers.holdfast.name="Holdfast"',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: filled in by the launch
      'model_providers.holdfast.base_url="${HOLDFAST_GATEWAY_URL}/v1"',
      'model_providers.holdfast.env_key="OPENAI_API_KEY"',
      'model_providers.holdfast.wire_api="responses"',
    ].flatMap((setting) => ['-c', setting]),
    asks: true,
  },
  qwen: {
    packages: ['@qwen-code/qwen-code@0.24.4'],
    program: 'qwen',
    args: ['--acp'],
    node: 'ours',
    env: {
      OPENAI_API_KEY: 'not-a-key',
      OPENAI_BASE_URL: 'MODEL/v1',
      OPENAI_MODEL: 'scripted-1',
      QWEN_TELEMETRY_ENABLED: 'false',
    },
    files: {
      '.qwen/settings.json': {
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        security: { auth: { selectedType: 'openai' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        tools: { approvalMode: 'default' },
        memory: { enableManagedAutoMemory: false },
        model: { name: 'scripted-1' },
      },
    },
    asks: true,
  },
  kimi: {
    packages: ['@moonshot-ai/kimi-code@2.1.0'],
    program: 'kimi',
    args: ['acp'],
    node: 'ours',
    env: { KIMI_CODE_HOME: 'HOME/.kimi-code', KIMI_CODE_NO_AUTO_UPDATE: '1' },
    files: {
      '.kimi-code/config.toml': [
        'default_model = "script/scripted-1"',
        'default_permission_mode = "manual"',
        'telemetry = false',
        '[providers.script]',
        'type = "openai"',
        'base_url = "MODEL/v1"',
        'api_key = "not-a-key"',
        '[models."script/scripted-1"]',
        'provider = "script"',
        'model = "scripted-1"',
        'max_context_size = 128000',
        'capabilities = ["tool_use"]',
        '',
      ].join('\n'),
    },
    isUnknown: true,
    asks: true,
  },
  kilo: {
    packages: ['@kilocode/cli@7.7.7'],
    program: 'kilo',
    args: ['acp'],
    node: 'ours',
    env: {
      KILO_DISABLE_AUTOUPDATE: '1',
      KILO_DISABLE_MODELS_FETCH: '1',
      KILO_DISABLE_LSP_DOWNLOAD: '1',
      KILO_DISABLE_DEFAULT_PLUGINS: '1',
      KILO_DISABLE_SHARE: '1',
      KILO_TELEMETRY_LEVEL: 'off',
    },
    files: { '.config/kilo/kilo.json': kiloSettings },
    isUnknown: true,
    asks: true,
  },
  reasonix: {
    packages: ['reasonix@1.38.11'],
    program: 'reasonix',
    args: ['acp'],
    node: 'ours',
    env: { REASONIX_HOME: 'HOME/.reasonix' },
    files: {
      '.reasonix/config.toml': [
        'default_model = "script"',
        '[[providers]]',
        'name = "script"',
        'kind = "openai"',
        'base_url = "MODEL/v1"',
        'model = "scripted-1"',
        'api_key_env = "SCRIPT_KEY"',
        'context_window = 128000',
        '[permissions]',
        'mode = "ask"',
        'ask = ["bash"]',
        '',
      ].join('\n'),
      '.reasonix/.env': 'SCRIPT_KEY=not-a-key\n',
    },
    // The sandbox that it makes cannot be made inside another.
    optionInside: { optionId: 'tool_approval', value: 'danger-full-access' },
    isUnknown: true,
    asks: true,
  },
  nanocoder: {
    packages: ['@nanocollective/nanocoder@1.30.0'],
    program: 'nanocoder',
    args: ['--acp'],
    node: 'ours',
    env: { NANOCODER_CONFIG_DIR: 'HOME/.config/nanocoder' },
    files: {
      '.config/nanocoder/agents.config.json': nanocoderSettings,
      '.config/nanocoder/nanocoder-preferences.json': {
        lastProvider: 'script',
        lastModel: 'scripted-1',
        trustedDirectories: ['/'],
      },
    },
    isUnknown: true,
    asks: true,
  },
}
