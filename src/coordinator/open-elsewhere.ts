/**
 * Whether a session of an agent's own is open in another program of this machine (IM14), such as
 * the agent's own in a terminal. Known for those that say so (Claude Code), and those that keep a
 * file of it open for writing (Codex), on Linux. A process that Holdfast started is no other.
 */
import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { readerOf } from '../past-sessions/readers.ts'
import { bytesOf } from '../platform/files/plain-file.ts'
import { fieldsOf, parsedJson } from '../platform/json.ts'
import { writesTo } from '../platform/processes/open-files.ts'
import { type LiveProcess, processes } from '../platform/processes/processes.ts'

type Environment = Readonly<Record<string, string | undefined>>

export interface Surroundings {
  /** The coordinator's. */
  readonly env: Environment
  /** The coordinator's data folder, whose processes are ours. */
  readonly folderId: string
  /** The entry of the agent. */
  readonly particulars: { readonly env: Environment }
}

/** An id that is a word could be in any path. */
const isUnmistakable = (id: string): boolean =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)

export async function isOpenElsewhere(
  acpSessionId: string,
  { env, folderId, particulars }: Surroundings,
): Promise<boolean> {
  if (!isUnmistakable(acpSessionId)) return false
  const list = (await processes?.list().catch(() => [])) ?? []
  const others = othersIn(list, folderId)
  const namesIt = (path: string): boolean => path.includes(acpSessionId)
  return (
    heldByClaude(acpSessionId, { ...env, ...particulars.env }).some(({ pid, birth }) =>
      others.some((each) => each.pid === pid && each.birth === birth),
    ) || others.some(({ pid }) => writesTo(pid, namesIt))
  )
}

/** Those that neither have our mark nor descend from one that has. */
function othersIn(list: readonly LiveProcess[], folderId: string): readonly LiveProcess[] {
  const byPid = new Map(list.map((each) => [each.pid, each]))
  const isOurs = (first: LiveProcess): boolean => {
    const seen = new Set<number>()
    for (
      let each: LiveProcess | undefined = first;
      each && !seen.has(each.pid);
      each = byPid.get(each.parent)
    ) {
      if (each.mark?.folderId === folderId) return true
      seen.add(each.pid)
    }
    return false
  }
  return list.filter((each) => each.pid !== process.pid && !isOurs(each))
}

interface Holder {
  readonly pid: unknown
  readonly birth: unknown
}

const maxHolderFiles = 1000
const maxHolderBytes = 64 * 1024

/** Claude Code has a file for each of its processes; it stays when one is killed. */
function heldByClaude(acpSessionId: string, env: Environment): readonly Holder[] {
  const around = { env, home: env['HOME'] || homedir() }
  return readerOf('claude')
    .roots(around)
    .map((root) => join(dirname(root), 'sessions'))
    .flatMap((folder) => filesIn(folder).slice(0, maxHolderFiles))
    .map((file) => fieldsOf(parsedJson(bytesOf(file, maxHolderBytes)?.toString() ?? '')))
    .filter((holder) => holder['sessionId'] === acpSessionId)
    .map(({ pid, procStart }) => ({ pid, birth: String(procStart) }))
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .map((name) => join(folder, name))
  } catch {
    // There is none.
    return []
  }
}
