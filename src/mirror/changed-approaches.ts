/**
 * What somebody wrote into an `approaches.json` since we did (AR3). What we wrote last lies beside it, so that it is known what is theirs: entries
 * that are new are taken in; what was changed or removed, or is no such file, is refused in words, and the file is left as it is.
 */
import { isDeepStrictEqual } from 'node:util'
import { Refusal } from '../domain/errors.ts'
import { statusText } from '../domain/sentences.ts'
import { approachKinds } from '../domain/work/approach-lifecycle.ts'
import { readPlainFile } from '../platform/plain-file.ts'
import type { ApproachesFile } from '../protocol/work/approaches-file.ts'
import { type NewApproach, newApproaches } from '../protocol/work/new-approaches.ts'
import { workSessionFileNames } from '../protocol/work/read-work-session.ts'

export interface ChangedApproaches {
  readonly added: readonly NewApproach[]
  /** Why something of it is not taken in; null when all is. */
  readonly problem: string | null
  /** What is known of the file when the new ones are taken in. */
  readonly known: Listed
}

/** As much as is compared: the lists, each entry as it stands there. */
type Listed = { readonly [Kind in (typeof approachKinds)[number]]: readonly Entry[] }
type Entry = Readonly<Record<string, unknown>>

const file = workSessionFileNames.approaches
const maxNamed = 5

/** Undefined while nobody but us has written it. `kept`: what the store says; `beside`: what we wrote last. */
export async function changedApproaches(
  path: string,
  beside: string,
  kept: ApproachesFile,
): Promise<ChangedApproaches | undefined> {
  const found = await readPlainFile(path).catch(() => undefined)
  if (found === undefined) return undefined
  const wrote = await readPlainFile(beside).catch(() => undefined)
  if (found === wrote) return undefined
  // A version before this kept nothing beside it: what the store knows by its id was ours.
  const known = wrote === undefined ? undefined : listedIn(JSON.parse(wrote))
  try {
    const theirs = listedIn(JSON.parse(found))
    return known ? compared(known, theirs, JSON.parse(found)) : unknownTo(kept, theirs, JSON.parse(found))
  } catch (error) {
    const why = error instanceof Refusal ? error.message : 'it is not JSON'
    return { added: [], problem: statusText('approachesRefused', { file, why }), known: known ?? listedIn(kept) }
  }
}

function listedIn(whole: unknown): Listed {
  const lists = (typeof whole === 'object' && whole !== null ? whole : {}) as Record<string, unknown>
  const list = (kind: string): Entry[] => {
    const entries = lists[kind] ?? []
    if (!Array.isArray(entries)) throw new Refusal('invalid_request', `${kind} is no list`)
    return entries as Entry[]
  }
  return { verified: list('verified'), failed: list('failed'), untried: list('untried') }
}

/** Entries of ours that are not there as they were are changed or removed; all others of theirs are new. */
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
    problem: lost.length > 0 ? statusText('approachesChanged', { file, ids: names }) : null,
    known: joined(known, fresh),
  }
}

function unknownTo(kept: ApproachesFile, theirs: Listed, whole: unknown): ChangedApproaches | undefined {
  const ids = new Set(approachKinds.flatMap((kind) => kept[kind].map(({ id }) => id)))
  const fresh = pick(theirs, (_, { id }) => !ids.has(String(id)))
  const added = newApproaches(whole, fresh)
  return added.length === 0 ? undefined : { added, problem: null, known: joined(listedIn(kept), fresh) }
}

const pick = (lists: Listed, isWanted: (kind: keyof Listed, entry: Entry) => boolean): Listed => ({
  verified: lists.verified.filter((entry) => isWanted('verified', entry)),
  failed: lists.failed.filter((entry) => isWanted('failed', entry)),
  untried: lists.untried.filter((entry) => isWanted('untried', entry)),
})

const joined = (one: Listed, other: Listed): Listed => ({
  verified: [...one.verified, ...other.verified],
  failed: [...one.failed, ...other.failed],
  untried: [...one.untried, ...other.untried],
})
