/**
 * Where agents put what a tool call ran, where, and what came of it. ACP has one field for output (`content`), and agents use
 * others beside it or instead. The fields are tried for every agent, so one not seen before may use any of them. Each was recorded
 * with a real agent; the exchanges are in test/coordinator/acp/exchanges. Data only.
 */

/** A path into an update: fields separated by dots, `*` for each item of a list. */
type Path = string

interface OutputField {
  readonly at: Path
  /** `piece`: what came since the last update. `whole`: all there is so far. The longest `whole` of an update counts. */
  readonly has: 'piece' | 'whole'
  /** Takes the text out of its wrapping: the first group. */
  readonly unwrap?: RegExp
}

export const outputFields: readonly OutputField[] = [
  // codex-acp
  { at: '_meta.terminal_output_delta.data', has: 'piece' },
  // pi-acp
  { at: '_meta.terminal_output.data', has: 'piece' },
  // Gemini CLI, Copilot and opencode; claude-agent-acp puts it into a Markdown fence.
  { at: 'content.*.content.text', has: 'whole', unwrap: /^```\w*\n([\s\S]*?)\n?```$/ },
  // claude-agent-acp: commands, and results of MCP tools
  { at: 'rawOutput', has: 'whole' },
  { at: 'rawOutput.*.text', has: 'whole' },
  { at: '_meta.claudeCode.toolResponse.stdout', has: 'whole' },
  // opencode
  { at: 'rawOutput.output', has: 'whole' },
  // Copilot
  { at: 'rawOutput.content', has: 'whole' },
  // pi-acp
  { at: 'rawOutput.content.*.text', has: 'whole' },
  // codex-acp: MCP tools
  { at: 'rawOutput.result.content.*.text', has: 'whole' },
  { at: 'rawOutput.error.message', has: 'whole' },
  // codex-acp before 2.0
  { at: 'rawOutput.aggregated_output', has: 'whole' },
  { at: 'rawOutput.formatted_output', has: 'whole' },
  // What several agents send of a command.
  { at: 'rawOutput.stdout', has: 'whole' },
  { at: 'rawOutput.stderr', has: 'whole' },
]

/** Exit status of a command; the first that is a number. */
export const exitCodeFields: readonly Path[] = [
  '_meta.terminal_exit.exit_code',
  'rawOutput.exit_code',
  'rawOutput.exitCode',
  'rawOutput.metadata.exit',
  'rawOutput.contents.*.exitCode',
]

interface ExitWords {
  /** The name in ACP's `agentInfo`. */
  readonly agent: string
  /** Where the agent writes the exit status into the output. It counts more than a field: pi-acp puts 1 there for any failure. */
  readonly pattern: RegExp
}

export const exitWords: readonly ExitWords[] = [
  { agent: '@agentclientprotocol/claude-agent-acp', pattern: /^Exit code (\d+)(?:\n|$)/ },
  { agent: 'pi-acp', pattern: /\n\nCommand exited with code (\d+)$/ },
]

/** The command line; a text, or the program and its arguments. */
export const commandFields: readonly Path[] = ['rawInput.command', 'rawInput.cmd']

export const folderFields: readonly Path[] = [
  '_meta.terminal_info.cwd',
  'rawInput.cwd',
  'rawInput.workdir',
  'rawInput.directory',
  'rawOutput.contents.*.cwd',
]

/** The call of which this one is a part: a sub-agent's. The first is claude-agent-acp's; the others are forms that agents use. */
export const parentFields: readonly Path[] = [
  '_meta.claudeCode.parentToolUseId',
  '_meta.parentToolCallId',
  '_meta.parent_tool_call_id',
  '_meta.parentToolUseId',
]
