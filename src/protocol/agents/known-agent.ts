/**
 * The facts about a coding agent (AG5): how it is found, installed, signed in and started, what it
 * needs in a sandbox, how its model is reached through a gateway, and in what it differs from
 * others. One file for each agent is in `known/`. Data only.
 */

/**
 * How an agent is started. A launch fills in ${…} in the arguments; the token is in the environment
 * only.
 */
export interface Recipe {
  /** The program that is looked for. */
  readonly program: string
  /** The command that is started, when it is not the program itself. */
  readonly command?: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** The version it was last tested with; null: not tested. */
  readonly triedWith: string | null
}

export const quirks = [
  /**
   * A load removes what the agent has kept of the session, at once or at a later start: it is never
   * loaded.
   */
  'load_loses',
  'never_asks',
  'no_command_output',
  /** Takes no MCP servers over ACP. */
  'no_tools',
  /** Two first starts at once fail. */
  'first_start_alone',
  /** The agent's shell does not see the global git identity. */
  'no_git_identity',
  /** Refuses a new session until `authenticate` was called, also with a key in its environment. */
  'authenticate_first',
  /** Ends a turn normally, with the error as text or with nothing, when its model fails. */
  'hides_model_errors',
  /** Ends a long output with a note in its place. */
  'sums_up_output',
  /** Calls the tokens of its last request those of the turn. */
  'usage_of_last_request',
  /** Counts the tokens of all turns since its process opened the session. */
  'usage_so_far',
] as const
export type Quirk = (typeof quirks)[number]

export interface KnownAgent {
  /** Short name: of the pulling recipe; the ACP recipe has `-acp` behind it. */
  readonly id: string
  readonly name: string
  /** The name in ACP's `agentInfo`. */
  readonly acpName: string | null
  /** npm packages whose programs are the ones of the recipes. */
  readonly packages: readonly string[]
  /** What npm installs, or a command to type where npm has it not. */
  readonly install: { readonly npm: readonly string[] } | { readonly command: string }
  readonly signIn: {
    readonly command: string
    /** AG18: signs in without a terminal: it prints an address, and takes a code or waits. */
    readonly press: {
      readonly program: string
      readonly args: readonly string[]
      /** Takes a code from the opened page as a line of its input. */
      readonly takesCode: boolean
    } | null
    /** Variables of an API key, any of which is enough. */
    readonly keys: readonly string[]
    /** Files in the home folder, any of which shows that somebody has signed in. */
    readonly files: readonly string[]
  }
  readonly acp: Recipe | null
  readonly pulls: Recipe | null
  readonly sandbox: {
    /**
     * Folders in the home folder that it must be able to write; made first where they are missing.
     */
    readonly folders: readonly string[]
    /** Files in the home folder that it writes beside them. */
    readonly files: readonly string[]
    /** SB12: of these, what holds what was said. Each owner has their own. */
    readonly own: {
      readonly folders: readonly string[]
      /** Written by adding to them; a file that is replaced by another is no such file. */
      readonly files: readonly string[]
      /**
       * In a folder that is the owner's: what stays the machine's, where it is there. The sign-in
       * is one.
       */
      readonly shared: readonly string[]
    }
    /** The agent's own sandbox needs nested user namespaces. */
    readonly userNamespaces: boolean
  }
  /**
   * How it reaches its model through a gateway (GW2). `{url}`, `{key}`, `{model}` and `{folder}`
   * are filled in.
   */
  readonly gateway: {
    readonly dialect: 'anthropic' | 'openai-responses' | 'openai-chat' | 'gemini'
    /** One that holds JSON is merged with what the entry has. */
    readonly env: Readonly<Record<string, string>>
    /** Put before the arguments of one that pulls, which does not read the variables. */
    readonly pullingArgs?: readonly string[]
    /**
     * Written into `{folder}`, which stays for the agent in its project, by name. No `{key}`:
     * several launches share them.
     */
    readonly files: Readonly<Record<string, string>>
  } | null
  readonly quirks: readonly Quirk[]
}

/** Prompt of every agent that pulls its work. The ids are not secret. */
export const pullingPrompt =
  // biome-ignore lint/suspicious/noTemplateCurlyInString: filled in by the launch
  'You are an agent that works through the MCP server "holdfast". Call its tool authenticate with agent_id "${HOLDFAST_AGENT_ID}" and project_id "${HOLDFAST_PROJECT_ID}". ' +
  'Then call get_next_action with wait_seconds 600, do exactly what its instruction says, and call it again, until its action is exit. ' +
  'Do not stop before, do not ask anybody, and write nothing outside of the tools.'

/** The agent's own time limit for a tool call, above our longest wait. */
export const callLimitSeconds = 620
export const holdSeconds = 600

/**
 * Our MCP server in the form that several agents take as JSON. The agent fills in the token from
 * its environment.
 */
export const mcpServers = {
  holdfast: {
    type: 'http',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: filled in by the launch
    url: '${HOLDFAST_MCP_URL}',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the agent fills it in
    headers: { Authorization: 'Bearer ${HOLDFAST_LAUNCH_TOKEN}' },
  },
}

/**
 * Gemini CLI and its forks take MCP servers from their settings alone, so their own command puts
 * ours there first. The variables are filled in when the settings are read, so no token is written.
 */
export const afterMcpAdd = (program: string, more: string): string =>
  `${program} mcp add -s user -t http --trust --timeout ${callLimitSeconds * 1000} ` +
  `-H 'Authorization: Bearer $HOLDFAST_LAUNCH_TOKEN' holdfast '$HOLDFAST_MCP_URL' >&2; exec ${program} -p "$0"${more}`

interface Started {
  readonly command: string | null
  readonly protocol: 'acp' | 'mcp'
  readonly args: readonly string[]
}

/**
 * Whether an entry starts this recipe. One that begins with a shell is recognized by its script.
 */
export const isRecipeOf = ({ command, protocol, args }: Started, recipe: Started): boolean =>
  command === recipe.command &&
  protocol === recipe.protocol &&
  (recipe.args[0] !== '-c' || args[1] === recipe.args[1])
