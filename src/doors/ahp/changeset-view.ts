/**
 * What a session or one of its turns changed in its files, as a changeset of the Agent Host
 * Protocol, and the actions from one state of it to the next. Pure.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { ReviewedFile } from '../../protocol/review/review-requests.ts'
import type { ChatAction } from './chat-state.ts'
import { versionUri } from './names.ts'

interface VersionOfFile {
  readonly uri: string
  readonly content: { readonly uri: string }
}

interface ChangedFile {
  readonly id: string
  readonly edit: {
    readonly before?: VersionOfFile
    readonly after?: VersionOfFile
    readonly diff: { readonly added: number; readonly removed: number }
  }
  readonly reviewed?: true
}

export interface ChangesetState {
  readonly status: 'computing' | 'ready' | 'error'
  readonly error?: { readonly errorType: string; readonly message: string }
  readonly files: readonly ChangedFile[]
}

interface Shown {
  readonly key: string
  /** Where the files are. */
  readonly folder: string
  /** Versions that this person has looked at, by the path of the file. */
  readonly viewed: ReadonlyMap<string, string>
}

export const changesetOf = (files: readonly ReviewedFile[], shown: Shown): ChangesetState => ({
  status: 'ready',
  files: files.map((file) => changedFile(file, shown)),
})

export const fileUri = (folder: string, path: string): string =>
  pathToFileURL(join(folder, path)).href

function changedFile(file: ReviewedFile, { key, folder, viewed }: Shown): ChangedFile {
  const { path, oldPath, oldBlob, newBlob, added, removed } = file
  const version = (name: string, blob: string): VersionOfFile => ({
    uri: fileUri(folder, name),
    content: { uri: versionUri({ key, blob, name }) },
  })
  return {
    id: fileUri(folder, path),
    edit: {
      ...(oldBlob !== null && { before: version(oldPath ?? path, oldBlob) }),
      ...(newBlob !== null && { after: version(path, newBlob) }),
      diff: { added: added ?? 0, removed: removed ?? 0 },
    },
    ...(viewed.get(path) === (newBlob ?? '') && { reviewed: true }),
  }
}

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

export function changesetChanges(before: ChangesetState, after: ChangesetState): ChatAction[] {
  const { status, error, files } = after
  const actions: ChatAction[] = []
  if (status !== before.status || !isSame(error, before.error))
    actions.push({ type: 'changeset/statusChanged', status, ...(error && { error }) })
  if (isSame(files, before.files)) return actions
  const marks = marksAlone(before, after)
  return [...actions, ...(marks ?? [{ type: 'changeset/contentChanged', files }])]
}

/** Undefined where more than the marks has changed. */
function marksAlone(before: ChangesetState, after: ChangesetState): ChatAction[] | undefined {
  const plain = ({ files }: ChangesetState) => files.map(({ id, edit }) => ({ id, edit }))
  if (!isSame(plain(before), plain(after))) return undefined
  const changed = after.files.filter(
    ({ reviewed }, index) => reviewed !== before.files[index]?.reviewed,
  )
  return [true, false].flatMap((reviewed): ChatAction[] => {
    const ids = changed.filter((file) => (file.reviewed ?? false) === reviewed).map(({ id }) => id)
    return ids.length === 0 ? [] : [{ type: 'changeset/filesReviewChanged', files: ids, reviewed }]
  })
}
