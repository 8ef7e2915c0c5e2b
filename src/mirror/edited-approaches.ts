/**
 * Finds what people and agents wrote into an `approaches.json` (AR3) by comparing it with a copy of
 * the last version written by Holdfast. New entries, changed words, and untried ones moved to where
 * they were tried, are imported. What was removed or moved otherwise, and invalid files, are
 * reported, and the file is left as it is.
 */
import { isDeepStrictEqual } from 'node:util'
import { Refusal } from '../domain/errors.ts'
import type { Detail } from '../domain/notices.ts'
import { statusNotice } from '../domain/status-texts.ts'
import { approachKinds } from '../domain/work/approach-lifecycle.ts'
import { readPlainFile } from '../platform/files/plain-file.ts'
import { fieldsOf } from '../platform/json.ts'
import type { ApproachesFile } from '../protocol/work/approaches-file.ts'
import {
  type ChangedApproach,
  movedApproaches,
  type NewApproach,
  newApproaches,
  rewordedApproaches,
} from '../protocol/work/new-approaches.ts'
import { workSessionFileNames } from '../protocol/work/read-work-session.ts'

export interface EditedApproaches {
  readonly added: readonly NewApproach[]
  /** AR1: with other words, or untried ones that stand among the verified or failed now. */
  readonly changed: readonly ChangedApproach[]
  /** Why something was not imported; null when all was. */
  readonly problem: Detail | null
  readonly known: Listed
}

/** The compared part of the file: its lists, with each entry as written. */
type Listed = { readonly [Kind in (typeof approachKinds)[number]]: readonly Entry[] }
type Entry = Readonly<Record<string, unknown>>

const file = workSessionFileNames.approaches
const maxNamed = 5

/**
 * Undefined when the file was not changed. `kept`: the store's approaches; `beside`: the copy of
 * the last version written.
 */
export async function editedApproaches(
  path: string,
  beside: string,
  stored: ApproachesFile,
): Promise<EditedApproaches | undefined> {
  const found = await readPlainFile(path).catch(() => undefined)
  if (found === undefined) return undefined
  const wrote = await readPlainFile(beside).catch(() => undefined)
  if (found === wrote) return undefined
  // Earlier versions kept no copy: then entries with ids that the store knows are its own.
  const written = wrote === undefined ? undefined : listedIn(JSON.parse(wrote))
  try {
    const whole = JSON.parse(found)
    const theirs = listedIn(whole)
    return written ? compared(written, stored, theirs, whole) : unknownTo(stored, theirs, whole)
  } catch (error) {
    const why = error instanceof Refusal ? error.detail : statusNotice('fileNotJson')
    const problem = statusNotice('approachesRefused', { file, why })
    return { added: [], changed: [], problem, known: written ?? listedIn(stored) }
  }
}

function listedIn(whole: unknown): Listed {
  const lists = fieldsOf(whole)
  return ofEach((kind) => {
    const entries = lists[kind] ?? []
    if (!Array.isArray(entries))
      throw new Refusal('invalid_request', statusNotice('noList', { kind }))
    return entries as Entry[]
  })
}

const ofEach = (list: (kind: keyof Listed) => readonly Entry[]): Listed =>
  Object.fromEntries(approachKinds.map((kind) => [kind, list(kind)])) as unknown as Listed

/**
 * Known entries that differ or are missing were moved, changed or removed; unknown entries are new.
 */
function compared(
  written: Listed,
  stored: ApproachesFile,
  theirs: Listed,
  whole: unknown,
): EditedApproaches {
  const isIn = (list: readonly Entry[], entry: Entry): boolean =>
    list.some((each) => isDeepStrictEqual(each, entry))
  const lost = ofEach((kind) => written[kind].filter((entry) => !isIn(theirs[kind], entry)))
  const tried = triedIn(theirs, idsOf(lost.untried), stored)
  const reworded = rewordedIn(theirs, lost, stored)
  const taken = joined(tried, reworded)
  const takenIds = idsOf(taken.verified, taken.failed, taken.untried)
  const refused = [...idsOf(lost.verified, lost.failed, lost.untried)].filter(
    (id) => !takenIds.has(id),
  )
  const fresh = pick(
    theirs,
    (kind, entry) =>
      !(
        isIn(written[kind], entry) ||
        refused.includes(String(entry['id'])) ||
        takenIds.has(String(entry['id']))
      ),
  )
  const ids = refused.slice(0, maxNamed).join(', ')
  return {
    added: newApproaches(whole, fresh),
    changed: [...movedApproaches(whole, tried), ...rewordedApproaches(whole, reworded)],
    problem: refused.length > 0 ? statusNotice('approachesChanged', { file, ids }) : null,
    known: joined(
      pick(written, (_, { id }) => !takenIds.has(String(id))),
      joined(fresh, taken),
    ),
  }
}

function unknownTo(
  stored: ApproachesFile,
  theirs: Listed,
  whole: unknown,
): EditedApproaches | undefined {
  const tried = triedIn(theirs, idsOf(stored.untried), stored)
  const ids = idsOf(stored.verified, stored.failed, stored.untried)
  const fresh = pick(theirs, (_, { id }) => !ids.has(String(id)))
  const [added, changed] = [newApproaches(whole, fresh), movedApproaches(whole, tried)]
  if (added.length + changed.length === 0) return undefined
  const triedIds = idsOf(tried.verified, tried.failed)
  const others = pick(listedIn(stored), (_, { id }) => !triedIds.has(String(id)))
  return { added, changed, problem: null, known: joined(others, joined(fresh, tried)) }
}

/**
 * AR1: those of `left` that are untried in the store, and in the file once, as verified or failed.
 */
function triedIn(theirs: Listed, left: ReadonlySet<string>, stored: ApproachesFile): Listed {
  const untried = idsOf(stored.untried)
  return pick(theirs, (kind, { id }) => {
    const name = String(id)
    return kind !== 'untried' && left.has(name) && untried.has(name) && isOnce(theirs, name)
  })
}

/**
 * Entries in their place with other words: no field is missing, and the store still has the words
 * that were written, or somebody else's change would be lost.
 */
function rewordedIn(theirs: Listed, lost: Listed, stored: ApproachesFile): Listed {
  const current = JSON.parse(JSON.stringify(listedIn(stored))) as Listed
  return pick(theirs, (kind, entry) => {
    const isThis = ({ id }: Entry): boolean => id === entry['id']
    const wrote = lost[kind].find(isThis)
    return (
      wrote !== undefined &&
      isOnce(theirs, String(entry['id'])) &&
      Object.keys(wrote).every((name) => entry[name] !== undefined) &&
      isDeepStrictEqual(current[kind].find(isThis), wrote)
    )
  })
}

function isOnce(theirs: Listed, id: string): boolean {
  const all = approachKinds.flatMap((kind) => theirs[kind])
  return all.filter((entry) => String(entry['id']) === id).length === 1
}

const idsOf = (...lists: readonly (readonly { readonly id?: unknown }[])[]): Set<string> =>
  new Set(lists.flat().map(({ id }) => String(id)))

const pick = (lists: Listed, isWanted: (kind: keyof Listed, entry: Entry) => boolean): Listed =>
  ofEach((kind) => lists[kind].filter((entry) => isWanted(kind, entry)))

const joined = (one: Listed, other: Listed): Listed =>
  ofEach((kind) => [...one[kind], ...other[kind]])
