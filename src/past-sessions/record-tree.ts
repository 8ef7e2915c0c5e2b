/**
 * Finds the records of a file that belong to the conversation, where each names the one before it:
 * those from the last one back to the first. The others were taken back.
 */
import type { Fields } from '../platform/json.ts'
import { TurnCollector } from './collect-turns.ts'
import { maxRecords } from './limits.ts'
import { linesOf, recordOf, Unread } from './lines.ts'
import type { PastRecord, PastTurn } from './port.ts'

interface Node {
  readonly id: string
  readonly parent: string | null
  readonly line: number
  /** Index of the record before it in the file. */
  readonly before: number
  readonly isResult: boolean
}

export class RecordTree {
  readonly #nodes: Node[] = []
  readonly #byId = new Map<string, number>()
  #leaf = -1

  get isFull(): boolean {
    return this.#nodes.length >= maxRecords
  }

  /** The first copy of a record counts. Says whether it was new. */
  add(
    { id, parent, line }: Pick<Node, 'id' | 'parent' | 'line'>,
    { mayBeLast = true, isResult = false } = {},
  ): boolean {
    if (this.#byId.has(id) || this.isFull) return false
    const before = this.#nodes.length - 1
    this.#byId.set(id, this.#nodes.length)
    this.#nodes.push({ id, parent, line, before, isResult })
    if (mayBeLast) this.#leaf = this.#nodes.length - 1
    return true
  }

  /** Lines of the conversation, and of what was taken back. */
  lines(): { readonly onPath: ReadonlySet<number>; readonly offPath: ReadonlySet<number> } {
    const path = new Set<number>()
    for (let at = this.#leaf; at >= 0 && !path.has(at); at = this.#beforeIn(at)) path.add(at)
    // Results of calls that ran side by side: each is a branch of its own.
    for (const [index, node] of this.#nodes.entries()) {
      const parent = this.#byId.get(node.parent ?? '')
      if (node.isResult && parent !== undefined && path.has(parent)) path.add(index)
    }
    const onPath = new Set<number>()
    const offPath = new Set<number>()
    for (const [index, { line }] of this.#nodes.entries())
      (path.has(index) ? onPath : offPath).add(line)
    return { onPath, offPath }
  }

  /** Where the record's parent is missing, the one before it in the file. */
  #beforeIn(at: number): number {
    const node = this.#nodes[at]
    if (!node || node.parent === null) return -1
    const { parent, before } = node
    return this.#byId.get(parent) ?? before
  }
}

type Apply = (
  record: Fields,
  turns: TurnCollector,
) => PastTurn | undefined | Promise<PastTurn | undefined>

/** Reads the records of a tree again, those of the conversation and those that were taken back. */
export async function* turnsOf(
  file: string,
  tree: RecordTree,
  applyRecord: Apply,
): AsyncGenerator<PastRecord> {
  const { onPath, offPath } = tree.lines()
  const turns = new TurnCollector()
  const takenBack = new TurnCollector({ takenBack: true })
  const unread = new Unread(file)
  for await (const line of linesOf(file, unread)) {
    const collector = onPath.has(line.number) ? turns : takenBack
    if (collector === takenBack && !offPath.has(line.number)) continue
    const record = recordOf(line, unread)
    const turn = record && (await applyRecord(record, collector))
    if (turn) yield { kind: 'turn', turn }
  }
  for (const turn of [takenBack.finish(), turns.finish()]) if (turn) yield { kind: 'turn', turn }
}
