/**
 * How each real agent is installed and told to speak to the scripted model instead of its vendor.
 * The product knows nothing of this.
 */
import { moreRecipes } from './more-recipes.ts'

export interface Recipe {
  /** On npm, with the version these were seen to work with; the first has the program. */
  readonly packages: readonly string[]
  readonly program: string
  readonly args: readonly string[]
  /**
   * Ours where it wants a newer one than a machine may have; the machine's where ours is too new
   * for it.
   */
  readonly node: 'ours' | 'machine'
  /** `MODEL` and `HOME` are filled in. */
  readonly env: Readonly<Record<string, string>>
  /** Written below its home. */
  readonly files: Readonly<Record<string, object | string>>
  /** The same without the model's address, for a gateway that tells it. */
  readonly filesWithoutModel?: Readonly<Record<string, object | string>>
  /** What a person chooses for it in a sandbox. */
  readonly optionInside?: { readonly optionId: string; readonly value: string }
  /** Told behind a gateway in its arguments, which Holdfast fills in. */
  readonly argsBehindGateway?: readonly string[]
  /** Holdfast has no settings of it: behind a gateway its start writes its files. */
  readonly isUnknown?: true
  /** Asks before it writes or runs. */
  readonly asks: boolean
  /** The tool for questions, with its arguments, and the option with which it is offered. */
  readonly question?: string
  readonly questionOption?: { readonly optionId: string; readonly value: string }
  /** Only its lives are tried (lives.suite.ts) where this is not known. */
  readonly says?: {
    /** The command, when it asks. Without it the same cannot be known again. */
    readonly input: boolean
    /** The tokens of a turn, or of all that it asked its model for meanwhile, titles among it. */
    readonly tokens: 'turn' | 'all' | null
    /** The agent brings a session back. */
    readonly load: boolean
    /** The agent takes our MCP server. */
    readonly tools: boolean
  }
}

const ofKnown: Readonly<Record<string, Recipe>> = {
  claude: {
    packages: ['@agentclientprotocol/claude-agent-acp@0.99.0'],
    program: 'claude-agent-acp',
    args: [],
    node: 'ours',
    env: {
      ANTHROPIC_BASE_URL: 'MODEL',
      ANTHROPIC_API_KEY: 'not-a-key',
      CLAUDE_CONFIG_DIR: 'HOME/.claude',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_TELEMETRY: '1',
      ENABLE_TOOL_SEARCH: 'false',
      CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
    },
    files: {},
    asks: true,
    question:
      'AskUserQuestion {"questions":[{"question":"Which colour?","header":"Colour","multiSelect":false,"options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]}]}',
    says: { input: true, tokens: 'all', load: true, tools: true },
  },
  gemini: {
    packages: ['@google/gemini-cli@0.61.0'],
    program: 'gemini',
    args: ['--acp', '--skip-trust'],
    // Seen with 0.61: on Node 26 its MCP client says initialize and nothing more.
    node: 'machine',
    env: {
      GEMINI_API_KEY: 'not-a-key',
      GOOGLE_GEMINI_BASE_URL: 'MODEL',
      GEMINI_TELEMETRY_ENABLED: 'false',
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
    },
    files: {
      '.gemini/settings.json': {
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        security: { auth: { selectedType: 'gemini-api-key' } },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        model: { name: 'gemini-2.5-flash' },
      },
    },
    asks: true,
    says: { input: false, tokens: 'turn', load: true, tools: true },
  },
  opencode: {
    packages: ['opencode-ai@1.18.33'],
    program: 'opencode',
    args: ['acp'],
    node: 'machine',
    env: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
    },
    files: {
      '.config/opencode/opencode.json': {
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
            models: {
              'scripted-1': { name: 'Scripted', limit: { context: 128_000, output: 8192 } },
            },
          },
        },
      },
    },
    asks: true,
    says: { input: true, tokens: null, load: true, tools: true },
    filesWithoutModel: {
      '.config/opencode/opencode.json': {
        autoupdate: false,
        permission: { edit: 'ask', bash: 'ask' },
      },
    },
  },
  codex: {
    packages: ['@agentclientprotocol/codex-acp@2.6.0'],
    program: 'codex-acp',
    args: [],
    node: 'ours',
    env: {
      CODEX_HOME: 'HOME/.codex',
      OPENAI_API_KEY: 'not-a-key',
      INITIAL_AGENT_MODE: 'read-only',
      NO_BROWSER: '1',
    },
    files: {
      '.codex/config.toml': [
        'model = "scripted-1"',
        'model_provider = "script"',
        'approval_policy = "on-request"',
        'sandbox_mode = "read-only"',
        'check_for_update_on_startup = false',
        '[analytics]',
        'enabled = false',
        '[model_providers.script]',
        'name = "Script"',
        'base_url = "MODEL/v1"',
        'env_key = "OPENAI_API_KEY"',
        'wire_api = "responses"',
        '',
      ].join('\n'),
    },
    asks: true,
    question:
      'request_user_input {"questions":[{"id":"colour","header":"Colour","question":"Which colour?","options":[{"label":"Red","description":"warm"},{"label":"Blue","description":"cold"}]}]}',
    questionOption: { optionId: 'collaboration_mode', value: 'plan' },
    says: { input: true, tokens: 'turn', load: true, tools: true },
    filesWithoutModel: {
      '.codex/config.toml':
        'model = "scripted-1"\napproval_policy = "on-request"\nsandbox_mode = "read-only"\n[analytics]\nenabled = false\n',
    },
  },
  copilot: {
    packages: ['@github/copilot@1.0.102'],
    program: 'copilot',
    args: ['--acp'],
    node: 'ours',
    env: {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_BASE_URL: 'MODEL/v1',
      COPILOT_PROVIDER_TYPE: 'openai',
      COPILOT_PROVIDER_API_KEY: 'not-a-key',
      COPILOT_MODEL: 'scripted-1',
      COPILOT_AUTO_UPDATE: 'false',
    },
    files: {},
    asks: true,
    says: { input: true, tokens: 'turn', load: true, tools: true },
  },
  pi: {
    packages: ['pi-acp@0.0.34', '@earendil-works/pi-coding-agent@0.87.1'],
    program: 'pi-acp',
    args: [],
    node: 'ours',
    env: { PI_OFFLINE: '1', PI_SKIP_VERSION_CHECK: '1', PI_TELEMETRY: '0' },
    files: {
      '.pi/agent/models.json': {
        providers: {
          script: {
            baseUrl: 'MODEL/v1',
            api: 'openai-completions',
            apiKey: 'not-a-key',
            models: [{ id: 'scripted-1' }],
          },
        },
      },
      '.pi/agent/settings.json': {
        defaultProvider: 'script',
        defaultModel: 'scripted-1',
        quietStartup: true,
      },
    },
    asks: false,
    says: { input: true, tokens: null, load: true, tools: false },
    filesWithoutModel: {},
  },
}

export const recipes: Readonly<Record<string, Recipe>> = { ...ofKnown, ...moreRecipes }
