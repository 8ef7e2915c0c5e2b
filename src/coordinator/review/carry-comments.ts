/**
 * Carries comments from state to state (RV2). A version of a file that was seen before keeps the
 * place it has, so a rewind finds the line again; all others follow from the version before.
 */
import { carryRanges, type LineRange, linesOf } from '../../protocol/review/carried-lines.ts'
import type { CarriedPlace, LinePlace } from '../../protocol/review/review-requests.ts'
import type { Workplace } from '../file-states/workplace.ts'
import { displayName } from '../worktrees/file-names.ts'
import { blobsIn, type ChangedFile, changedFiles, textOfBlob } from './compare-trees.ts'

export interface CarriedComment {
  readonly id: string
  readonly path: string
  readonly tree: string
  readonly step: number
  readonly origin: string
  readonly places: readonly LinePlace[]
}

/** The changes between trees and the lines of versions, each read once. */
export class ReadVersions {
  readonly #place: Workplace
  readonly #changes = new Map<string, Promise<Map<string, ChangedFile>>>()
  readonly #lines = new Map<string, Promise<string[] | undefined>>()

  constructor(place: Workplace) {
    this.#place = place
  }

  /** By the file's earlier path. */
  changes(from: string, to: string): Promise<Map<string, ChangedFile>> {
    return remembered(this.#changes, `${from} ${to}`, async () => {
      const all = await changedFiles(this.#place, from, to)
      return new Map(all.map((file) => [displayName(file.oldName), file]))
    })
  }

  lines(blob: string): Promise<string[] | undefined> {
    return remembered(this.#lines, blob, async () => {
      const text = await textOfBlob(this.#place, blob)
      return text === undefined ? undefined : linesOf(text)
    })
  }

  async blob(tree: string, path: string): Promise<string | null> {
    return (await blobsIn(this.#place, tree, [path])).get(path) ?? null
  }

  /** Where lines of one version are in another. */
  async carried(from: string, range: LineRange, to: string): Promise<LineRange | undefined> {
    const [before, after] = [await this.lines(from), await this.lines(to)]
    return before && after ? carryRanges(before, after, [range])[0] : undefined
  }
}

function remembered<Value>(values: Map<string, Value>, key: string, read: () => Value): Value {
  const found = values.get(key) ?? read()
  values.set(key, found)
  return found
}

const rangeOf = (place: LinePlace | undefined): LineRange | undefined =>
  place?.line && place.endLine ? { line: place.line, endLine: place.endLine } : undefined

export const placeOf = (blob: string, range: LineRange | undefined): LinePlace => ({
  blob,
  line: range?.line ?? null,
  endLine: range?.endLine ?? null,
})

export async function carryComment(
  versions: ReadVersions,
  comment: CarriedComment,
  { steps, from, to }: { readonly steps: readonly string[]; readonly from: string; to: string },
): Promise<CarriedPlace> {
  const byBlob = new Map(comment.places.map((place) => [place.blob, place]))
  const fresh: LinePlace[] = []
  const learn = (place: LinePlace): void => {
    byBlob.set(place.blob, place)
    fresh.push(place)
  }
  let { path, tree } = comment
  let blob = await versions.blob(tree, path)
  for (const next of [...steps.slice(comment.step), to]) {
    if (next === tree) continue
    const change = (await versions.changes(tree, next)).get(path)
    // Written again after it was deleted.
    const nextBlob = change || blob === null ? await blobAfter(versions, next, path, change) : blob
    if (change?.change === 'renamed') path = displayName(change.name)
    if (nextBlob !== null && !byBlob.has(nextBlob)) {
      const range = blob === null ? undefined : rangeOf(byBlob.get(blob))
      const carried = blob && range ? await versions.carried(blob, range, nextBlob) : undefined
      learn(placeOf(nextBlob, carried))
    }
    ;[tree, blob] = [next, nextBlob]
  }
  const range = blob === null ? undefined : rangeOf(byBlob.get(blob))
  const about = { id: comment.id, path, tree, places: fresh }
  if (range) return { ...about, at: { side: 'new', file: path, ...range } }
  const old = await versionBefore(versions, from, to, path)
  if (old === undefined) return { ...about, at: null }
  if (!byBlob.has(old.blob)) {
    const origin = rangeOf(byBlob.get(comment.origin))
    learn(placeOf(old.blob, origin && (await versions.carried(comment.origin, origin, old.blob))))
  }
  const before = rangeOf(byBlob.get(old.blob))
  return { ...about, at: before ? { side: 'old', file: old.path, ...before } : null }
}

const blobAfter = async (
  versions: ReadVersions,
  tree: string,
  path: string,
  change: ChangedFile | undefined,
): Promise<string | null> => (change ? change.newBlob : versions.blob(tree, path))

/** The version of a file before the view's changes. */
async function versionBefore(
  versions: ReadVersions,
  from: string,
  to: string,
  path: string,
): Promise<{ readonly path: string; readonly blob: string } | undefined> {
  for (const [oldPath, file] of await versions.changes(from, to))
    if (displayName(file.name) === path)
      return file.oldBlob === null ? undefined : { path: oldPath, blob: file.oldBlob }
  // Changed back: it is no longer part of the view.
  return undefined
}
