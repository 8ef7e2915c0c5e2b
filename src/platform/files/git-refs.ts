/**
 * Reads HEAD and refs of a git folder as data (SE19): regular files of a bounded size, without git,
 * which would read the repository's configuration and wait where a pipe lies.
 */
import { join } from 'node:path'
import { bytesOf, textOf } from './plain-file.ts'

const maxRefBytes = 4096
const maxPackedBytes = 64 * 1024 * 1024
const maxLinks = 5

export const objectId = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
/** What may be a path below a git folder. */
const refName = /^refs(?:\/(?!\.)[^/\0-\x20~^:?*[\\\x7f]+)+$/

export interface Head {
  /** The ref that HEAD names; null: a commit. */
  readonly ref: string | null
  /** Undefined: there is no commit yet. */
  readonly commit: string | undefined
}

/**
 * Undefined: no HEAD of a repository. `own` is the git folder of the checkout, `common` the one of
 * the repository.
 */
export function headOf(own: string, common: string): Head | undefined {
  const text = textOf(join(own, 'HEAD'), maxRefBytes)?.trimEnd()
  if (text === undefined) return undefined
  if (objectId.test(text)) return { ref: null, commit: text }
  const ref = linkedRef(text)
  return ref === undefined ? undefined : { ref, commit: commitOf(common, ref) }
}

const linkedRef = (text: string): string | undefined => {
  const [, name = ''] = /^ref:\s*(\S.*)$/.exec(text) ?? []
  return refName.test(name) && !/\.\.|\.lock(\/|$)/.test(name) ? name : undefined
}

/** The object that a ref names. */
export function commitOf(common: string, ref: string): string | undefined {
  let name = ref
  for (let link = 0; link < maxLinks; link++) {
    const text = textOf(join(common, name), maxRefBytes)?.trimEnd()
    if (text === undefined) return packed(common, name)
    if (objectId.test(text)) return text
    const next = linkedRef(text)
    if (next === undefined) return undefined
    name = next
  }
  return undefined
}

/** `ID NAME` on a line of its own. */
function packed(common: string, name: string): string | undefined {
  const bytes = bytesOf(join(common, 'packed-refs'), maxPackedBytes)
  const at = bytes?.indexOf(` ${name}\n`) ?? -1
  if (!bytes || at < 0) return undefined
  const id = bytes.toString('latin1', bytes.lastIndexOf('\n', at) + 1, at)
  return objectId.test(id) ? id : undefined
}
