/** pi, and its ACP adapter. It takes no MCP servers, so it cannot pull its work. */
import type { KnownAgent } from '../known-agent.ts'

/**
 * The `apiKey` of its settings names a variable with `$`; a bare name is taken as the key itself.
 */
const models = {
  providers: {
    holdfast: {
      baseUrl: '{url}/v1',
      api: 'openai-completions',
      apiKey: '$HOLDFAST_GATEWAY_KEY',
      models: [{ id: '{model}' }],
    },
  },
}

export const pi: KnownAgent = {
  id: 'pi',
  name: 'pi',
  acpName: 'pi-acp',
  packages: ['@earendil-works/pi-coding-agent', 'pi-acp'],
  install: { npm: ['@earendil-works/pi-coding-agent', 'pi-acp'] },
  signIn: {
    command: 'pi, then /login',
    press: null,
    keys: ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY', 'GEMINI_API_KEY'],
    files: [],
  },
  acp: { program: 'pi-acp', args: [], env: {}, triedWith: '0.0.34' },
  pulls: null,
  sandbox: {
    folders: ['.pi'],
    files: [],
    own: { folders: ['.pi/agent/sessions'], files: [], shared: [] },
    userNamespaces: false,
  },
  gateway: {
    dialect: 'openai-chat',
    env: { PI_CODING_AGENT_DIR: '{folder}' },
    files: {
      'models.json': JSON.stringify(models),
      'settings.json': JSON.stringify({
        defaultProvider: 'holdfast',
        defaultModel: '{model}',
        quietStartup: true,
      }),
    },
  },
  quirks: ['never_asks', 'no_tools', 'hides_model_errors'],
}
