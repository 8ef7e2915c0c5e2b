/**
 * The matrix of docs/agents.md, made from reports of `agents doctor`: `node test/real-agents/matrix.ts` writes it anew from `reports/`,
 * into which `npm run test:agents -- --folder DIR --record test/real-agents/reports doctor` writes them.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentReport } from '../../src/protocol/agents/report.ts'

const folder = join(import.meta.dirname, 'reports')
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
  ['end', 'leaves no process'],
  ['workplace', 'runs in the sandbox `workplace`'],
  ['strict', 'runs in the sandbox `strict`'],
  ['known', 'sends nothing that Holdfast does not know'],
]

function matrix(): string {
  const reports = readdirSync(folder)
    .sort()
    .map((file): AgentReport => JSON.parse(readFileSync(join(folder, file), 'utf8')))
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
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

const [begin, end] = ['<!-- matrix -->\n', '\n<!-- end of matrix -->']

export function withMatrix(text = readFileSync(page, 'utf8')): string {
  const [before = '', rest = ''] = text.split(begin)
  return `${before}${begin}${matrix()}${end}${rest.split(end)[1] ?? ''}`
}

if (process.argv[1] === import.meta.filename) writeFileSync(page, withMatrix())
