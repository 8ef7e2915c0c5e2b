/**
 * Tells where a state is written outside of the file that moves it (HS27). There, a row of these
 * tables is not added, and updated only with columns that are named and are no state: a whole row
 * or a spread may hold one. Of some tables no other file writes anything, nor runs a statement of
 * the store that does.
 */
import { eachNode, type Node, parse, placeOf, type SourceFile } from './source-files.ts'

interface StateWriter {
  /** The only file of src/services that writes these columns. */
  readonly file: string
  /** 'all': no other file adds, changes or deletes a row. */
  readonly columns: readonly string[] | 'all'
  /** Functions of the store that give rows without these columns. */
  readonly without?: readonly string[]
  /** Files that put back rows as they were saved. */
  readonly restoredIn?: readonly string[]
}

const restored = ['src/services/work/restore-work-session.ts']

export const stateWriters: Readonly<Record<string, StateWriter>> = {
  turns: { file: 'src/services/turns/move-turn.ts', columns: ['state', 'stop_reason', 'error'] },
  launches: { file: 'src/services/processes/launch-record.ts', columns: ['state', 'reason'] },
  human_approvals: {
    file: 'src/services/approvals/approval-record.ts',
    columns: ['status', 'decided_by', 'resolved_at', 'held_by', 'held_until', 'held_status'],
    restoredIn: restored,
  },
  sessions: {
    file: 'src/services/work/end-work-session.ts',
    columns: ['ended_at', 'interruption_reason'],
    restoredIn: restored,
  },
  tasks: {
    file: 'src/services/work/change-task.ts',
    columns: ['status'],
    restoredIn: restored,
  },
  agent_sessions: {
    file: 'src/services/agent-sessions/move-agent-session.ts',
    columns: ['state', 'ended_at', 'end_reason', 'terminating_at', 'expires_at', 'suspected_at'],
    without: ['activityOf'],
  },
  role_agents: {
    file: 'src/services/flows/consoles/move-role-agent.ts',
    columns: [
      'state',
      'asleep_at',
      'terminating_at',
      'terminate_reason',
      'error',
      'terminated_seq',
    ],
  },
  worktrees: {
    file: 'src/services/worktrees/worktree-record.ts',
    columns: ['removed_at', 'removed_by'],
  },
  contexts: { file: 'src/services/turns/move-context.ts', columns: 'all' },
}

export function writtenElsewhere(
  files: readonly SourceFile[],
  writers: Readonly<Record<string, StateWriter>> = stateWriters,
): string[] {
  const found: string[] = []
  const statements = writingStatements(files, writers)
  for (const file of files.filter(({ path }) => /^src\/.*\.ts$/.test(path)))
    eachNode(parse(file).program, (node) => {
      if (node.type === 'ImportSpecifier') {
        const name = nameOf(node['imported'])
        const table = statements.get(name)
        if (table && writers[table]?.file !== file.path)
          found.push(`${placeOf(file, node)} runs ${name}, which writes ${table}`)
        return
      }
      const write = writeIn(node)
      const writer = write && writers[write.table]
      if (!writer || writer.file === file.path) return
      if (write.method === 'delete' && writer.columns !== 'all') return
      if (write.method !== 'update' && writer.restoredIn?.includes(file.path)) return
      if (write.method === 'update' && isHarmless(write.row, writer)) return
      found.push(`${placeOf(file, node)} ${write.method}s ${write.table}`)
    })
  return found
}

interface Write {
  readonly method: string
  readonly table: string
  readonly row: Node | undefined
}

/** A call like `tx.update('turns', row)`. */
function writeIn(
  node: Node,
  methods: readonly string[] = ['insert', 'put', 'update', 'delete'],
): Write | undefined {
  const callee = node.type === 'CallExpression' ? (node['callee'] as Node) : undefined
  if (callee?.type !== 'MemberExpression') return undefined
  const method = nameOf(callee['property'])
  const [table, row] = node['arguments'] as readonly Node[]
  if (!methods.includes(method) || typeof table?.['value'] !== 'string') return undefined
  return { method, table: table['value'], row }
}

/** Names of the store's statements that write a table which one file writes alone. */
function writingStatements(
  files: readonly SourceFile[],
  writers: Readonly<Record<string, StateWriter>>,
): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const file of files.filter(({ path }) => /^src\/store\/.*\.ts$/.test(path)))
    eachNode(parse(file).program, (statement) => {
      if (statement.type !== 'VariableDeclarator') return
      eachNode(statement, (node) => {
        const write = writeIn(node, ['insertInto', 'updateTable', 'deleteFrom'])
        if (write && writers[write.table]?.columns === 'all')
          found.set(nameOf(statement['id']), write.table)
      })
    })
  return found
}

const nameOf = (node: unknown): string => (node as Node)['name'] as string

function isHarmless(row: Node | undefined, { columns, without = [] }: StateWriter): boolean {
  if (row?.type === 'CallExpression') return without.includes(nameOf(row['callee']))
  if (columns === 'all' || row?.type !== 'ObjectExpression') return false
  return (row['properties'] as readonly Node[]).every((property) => {
    const key = property['key'] as Node | undefined
    return property.type === 'Property' && !columns.includes(key?.['name'] as string)
  })
}
