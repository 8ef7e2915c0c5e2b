/**
 * What the scripted model answers, decided by the last thing the person said and nothing else, so
 * that every run is the same:
 *
 *   [[write PATH TEXT]]   with whichever tool the agent offers for it        [[slow COUNT MS]]   the answer in pieces
 *   [[run COMMAND]]       with its shell                                     otherwise           `echo: …`, and what the tools said
 *   [[tool NAME JSON]]    the offered tool whose name ends in NAME
 */
export interface OfferedTool {
  readonly name: string
  readonly schema: Schema
  /** Takes a text in place of arguments. */
  readonly kind?: 'custom'
  readonly namespace?: string
}

export interface Schema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly enum?: readonly unknown[]
  readonly default?: unknown
}

/** A request, whichever vendor's words it came in. */
export interface ModelTurn {
  readonly user: string
  /** What the tools of this turn have answered so far. */
  readonly results: readonly string[]
  readonly tools: readonly OfferedTool[]
  readonly model: string
  readonly stream: boolean
  /** The agent wants an object of this shape: a title, say. */
  readonly shape?: Schema | undefined
}

export type ModelAnswer =
  | {
      readonly call: {
        readonly name: string
        readonly args: Record<string, unknown>
        readonly tool?: OfferedTool
      }
    }
  | { readonly pieces: readonly string[]; readonly pauseMs: number }

/** What agents put around a prompt by themselves. */
const injected =
  /<(system-reminder|environment_context|environment_details|session_context|user_context|user_instructions|current_datetime)\b[\s\S]*?<\/\1>/g
const directive = /\[\[(write|run|tool|slow)\s+([\s\S]*?)\]\]/g

export const withoutInjected = (text: string): string => text.replaceAll(injected, '').trim()

export function decide({ user, results, tools, shape }: ModelTurn): ModelAnswer {
  if (shape) return said(JSON.stringify(sample(shape)))
  const asked = [...user.matchAll(directive)].map(([, verb = '', rest = '']) => ({
    verb,
    rest: rest.trim(),
  }))
  const next =
    tools.length > 0 ? asked.filter(({ verb }) => verb !== 'slow')[results.length] : undefined
  if (next) {
    const call = callFor(next.verb, next.rest, tools)
    return call
      ? { call }
      : said(`no tool for ${next.verb} among ${tools.map(({ name }) => name).join(', ')}`)
  }
  const slow = tools.length > 0 ? asked.find(({ verb }) => verb === 'slow') : undefined
  if (slow) {
    const [count = 1, pauseMs = 0] = slow.rest.split(/\s+/).map(Number)
    return { pieces: Array.from({ length: count }, (_, index) => `tick ${index + 1} `), pauseMs }
  }
  const echo = `echo: ${user.replaceAll(directive, '').trim().slice(-400)}`
  return said(
    results.length > 0
      ? `${echo} | tools: ${results.map((result) => result.slice(0, 300)).join(' ; ')}`
      : echo,
  )
}

const said = (text: string): ModelAnswer => ({
  pieces: text.match(/[\s\S]{1,24}/g) ?? [''],
  pauseMs: 0,
})

function callFor(verb: string, rest: string, tools: readonly OfferedTool[]) {
  const [first = '', others = ''] = [rest.split(/\s/, 1)[0], rest.slice(rest.search(/\s|$/)).trim()]
  if (verb === 'tool') {
    const tool = tools.find(({ name }) => name.endsWith(first))
    return (
      tool && { tool, name: tool.name, args: JSON.parse(others || '{}') as Record<string, unknown> }
    )
  }
  return verb === 'write' ? writing(tools, first, others) : running(tools, rest)
}

function writing(tools: readonly OfferedTool[], file: string, text: string) {
  const tool = find(tools, 'write', 'write_file', 'create', 'write_to_file', 'create_file')
  if (tool) {
    const [path, content] = [
      keyOf(tool, 'file_path', 'filePath', 'path'),
      keyOf(tool, 'content', 'contents', 'file_text'),
    ]
    return { name: tool.name, args: filled(tool, { [path]: file, [content]: text }) }
  }
  const patch = find(tools, 'apply_patch')
  if (!patch) return running(tools, `printf %s "${text}" > ${file}`)
  return {
    tool: patch,
    name: patch.name,
    args: { input: `*** Begin Patch\n*** Add File: ${file}\n+${text}\n*** End Patch\n` },
  }
}

function running(tools: readonly OfferedTool[], command: string) {
  const tool = find(tools, ...shells)
  if (!tool) return undefined
  const key = keyOf(tool, 'command', 'cmd')
  const { [key]: shape, sandbox_permissions: asks } = tool.schema.properties ?? {}
  const args = { [key]: shape?.type === 'array' ? ['bash', '-lc', command] : command }
  // One of them asks its person only when its model wants to leave its sandbox.
  const isAsked = asks && (asks.enum ?? ['require_escalated']).includes('require_escalated')
  const more = isAsked
    ? { sandbox_permissions: 'require_escalated', justification: 'scripted' }
    : {}
  return { tool, name: tool.name, args: filled(tool, { ...args, ...more }) }
}

const shells = [
  ...['bash', 'run_shell_command', 'shell', 'exec_command', 'shell_command'],
  ...['execute_command', 'execute_bash', 'run_command'],
]

const find = (tools: readonly OfferedTool[], ...names: string[]): OfferedTool | undefined =>
  tools.find(({ name }) => names.includes(name.toLowerCase()))

const keyOf = ({ schema }: OfferedTool, ...names: [string, ...string[]]): string =>
  names.find((name) => schema.properties?.[name]) ?? names[0]

/** Whatever else the tool insists on. */
function filled({ schema }: OfferedTool, args: Record<string, unknown>): Record<string, unknown> {
  for (const key of schema.required ?? []) args[key] ??= sample(schema.properties?.[key] ?? {})
  return args
}

/** The smallest value of a shape. */
function sample(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  const type = String(
    Array.isArray(schema.type) ? schema.type[0] : (schema.type ?? 'string'),
  ).toLowerCase()
  if (type === 'object') return filled({ name: '', schema }, {})
  if (type === 'array') return []
  if (type === 'number' || type === 'integer') return 1
  return type === 'boolean' ? false : 'scripted'
}
