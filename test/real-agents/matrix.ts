/**
 * The two tables of docs/agents.md: `node test/real-agents/matrix.ts` writes them anew. One is made
 * from reports of `agents doctor` in `reports/`, into which
 * `npm run test:agents -- --folder DIR --record test/real-agents/reports doctor` writes them; the
 * other from `lives/`, into which the suite `lives` writes in the same way.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentReport } from '../../src/protocol/agents/report.ts'

const page = join(import.meta.dirname, '..', '..', 'docs', 'agents.md')

const rows: readonly (readonly [check: string, words: string])[] = [
  ['start', 'starts from a fresh home with a key'],
  ['prompt', 'answers'],
  ['permission', 'asks for permission, and takes no for an answer'],
  ['output', 'shows the output of commands'],
  ['usage', 'reports the tokens of a turn'],
  ['tool', 'calls our MCP tools'],
  ['cancel', 'is cancelled, and goes on'],
  ['load', 'comes back into its session after its end'],
  ['list', 'lists its sessions'],
  ['fork', 'forks a session'],
  ['apart', 'keeps conversations in one process apart'],
  ['end', 'leaves no process'],
  ['workplace', 'runs in the sandbox `workplace`'],
  ['strict', 'runs in the sandbox `strict`'],
  ['known', 'sends nothing that Holdfast does not know'],
]

/** What `lives.suite.ts` writes of an agent. */
export interface LifeReport {
  readonly agent: string
  readonly version: string
  readonly lived: readonly {
    readonly name: string
    readonly ok: boolean
    readonly detail: string
  }[]
}

const livedFor = [
  ...['start', 'write', 'deny twice', 'stop', 'kill', 'resume', 'rewind', 'columns', 'end'],
  ...['workplace', 'strict', 'gateway'],
]

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

function reportsIn<Report>(name: string): Report[] {
  const folder = join(import.meta.dirname, name)
  // What went over their wires may lie beside them.
  const files = readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .sort()
  return files.map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Report)
}

function lives(): string {
  const result = ({ lived }: LifeReport, name: string): string => {
    const found = lived.find((each) => each.name === name)
    if (!found) return 'not tried'
    if (!found.ok) return '**no**'
    return found.detail === '' ? 'yes' : `yes: ${found.detail}`
  }
  return [
    line(['', ...livedFor]),
    line(['---', ...livedFor.map(() => '---')]),
    ...reportsIn<LifeReport>('lives').map((report) =>
      line([`${report.agent} ${report.version}`, ...livedFor.map((name) => result(report, name))]),
    ),
  ].join('\n')
}

function matrix(): string {
  const reports = reportsIn<AgentReport>('reports')
  const result = ({ checks }: AgentReport, name: string): string => {
    const check = checks.find((each) => each.name === name)
    return check ? (check.ok ? 'yes' : '**no**') : 'not tried'
  }
  return [
    line(['', ...reports.map(({ agent, version }) => `${agent} ${version ?? ''}`.trim())]),
    line(['---', ...reports.map(() => '---')]),
    ...rows.map(([name, words]) => line([words, ...reports.map((report) => result(report, name))])),
  ].join('\n')
}

/** With what stands between the two lines that name it made anew. */
function replaced(text: string, name: string, table: string): string {
  const [begin, end] = [`<!-- ${name} -->\n`, `\n<!-- end of ${name} -->`]
  const [before = '', rest = ''] = text.split(begin)
  return `${before}${begin}${table}${end}${rest.split(end)[1] ?? ''}`
}

export const withMatrix = (text = readFileSync(page, 'utf8')): string =>
  replaced(replaced(text, 'matrix', matrix()), 'lives', lives())

if (process.argv[1] === import.meta.filename) writeFileSync(page, withMatrix())
