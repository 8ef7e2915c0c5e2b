/**
 * Finds what people wrote into an `approaches.json` (AR3) by comparing it with a copy of the last version written by Holdfast. New
 * entries are imported. Changed or removed entries, and invalid files, are reported, and the file is left as it is.
 */
import { isDeepStrictEqual } from 'node:util'
import { Refusal } from '../domain/errors.ts'
import type { Detail } from '../domain/notices.ts'
import { statusNotice } from '../domain/status-texts.ts'
import { approachKinds } from '../domain/work/approach-lifecycle.ts'
import { readPlainFile } from '../platform/files/plain-file.ts'
import { fieldsOf } from '../platform/json.ts'
import type { ApproachesFile } from '../protocol/work/approaches-file.ts'
import { type NewApproach, newApproaches } from '../protocol/work/new-approaches.ts'
import { workSessionFileNames } from '../protocol/work/read-work-session.ts'

export interface ChangedApproaches {
  readonly added: readonly NewApproach[]
  /** Why something was not imported; null when all was. */
  readonly problem: Detail | null
  readonly known: Listed
}

/** The compared part of the file: its lists, with each entry as written. */
type Listed = { readonly [Kind in (typeof approachKinds)[number]]: readonly Entry[] }
type Entry = Readonly<Record<string, unknown>>

const file = workSessionFileNames.approaches
const maxNamed = 5

/** Undefined when the file was not changed. `kept`: the store's approaches; `beside`: the copy of the last version written. */
export async function changedApproaches(
  path: string,
  beside: string,
  kept: ApproachesFile,
): Promise<ChangedApproaches | undefined> {
  const found = await readPlainFile(path).catch(() => undefined)
  if (found === undefined) return undefined
  const wrote = await readPlainFile(beside).catch(() => undefined)
  if (found === wrote) return undefined
  // Earlier versions kept no copy: then entries with ids that the store knows are its own.
  const known = wrote === undefined ? undefined : listedIn(JSON.parse(wrote))
  try {
    const theirs = listedIn(JSON.parse(found))
    return known ? compared(known, theirs, JSON.parse(found)) : unknownTo(kept, theirs, JSON.parse(found))
  } catch (error) {
    const why = error instanceof Refusal ? error.detail : statusNotice('fileNotJson')
    return { added: [], problem: statusNotice('approachesRefused', { file, why }), known: known ?? listedIn(kept) }
  }
}

function listedIn(whole: unknown): Listed {
  const lists = fieldsOf(whole)
  return ofEach((kind) => {
    const entries = lists[kind] ?? []
    if (!Array.isArray(entries)) throw new Refusal('invalid_request', statusNotice('noList', { kind }))
    return entries as Entry[]
  })
}

const ofEach = (list: (kind: keyof Listed) => readonly Entry[]): Listed =>
  Object.fromEntries(approachKinds.map((kind) => [kind, list(kind)])) as unknown as Listed

/** Known entries that differ or are missing were changed or removed; unknown entries are new. */
function compared(known: Listed, theirs: Listed, whole: unknown): ChangedApproaches {
  const lost: string[] = []
  const isNew = (kind: keyof Listed, entry: Entry): boolean => !known[kind].some((each) => isDeepStrictEqual(each, entry))
  for (const kind of approachKinds)
    for (const entry of known[kind])
      if (!theirs[kind].some((each) => isDeepStrictEqual(each, entry))) lost.push(String(entry['id']))
  const fresh = pick(theirs, (kind, entry) => isNew(kind, entry) && !lost.includes(String(entry['id'])))
  const added = newApproaches(whole, fresh)
  const names = lost.slice(0, maxNamed).join(', ')
  return {
    added,
    problem: lost.length > 0 ? statusNotice('approachesChanged', { file, ids: names }) : null,
    known: joined(known, fresh),
  }
}

function unknownTo(kept: ApproachesFile, theirs: Listed, whole: unknown): ChangedApproaches | undefined {
  const ids = new Set(approachKinds.flatMap((kind) => kept[kind].map(({ id }) => id)))
  const fresh = pick(theirs, (_, { id }) => !ids.has(String(id)))
  const added = newApproaches(whole, fresh)
  return added.length === 0 ? undefined : { added, problem: null, known: joined(listedIn(kept), fresh) }
}

const pick = (lists: Listed, isWanted: (kind: keyof Listed, entry: Entry) => boolean): Listed =>
  ofEach((kind) => lists[kind].filter((entry) => isWanted(kind, entry)))

const joined = (one: Listed, other: Listed): Listed => ofEach((kind) => [...one[kind], ...other[kind]])
