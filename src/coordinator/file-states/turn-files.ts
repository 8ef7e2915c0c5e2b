/**
 * Takes the files before and after a turn (FS7). A state that cannot be taken never holds up or
 * fails the turn; the agent's output says why.
 */
import type { EndFiles, TurnFiles, TurnOrder } from '../../protocol/turns/link.ts'
import type { FileState } from '../../protocol/worktrees/file-state.ts'
import type { FileStates } from './file-states.ts'

type Asked = TurnOrder['files'] & { readonly state?: FileState | undefined }

export interface TurnFilesOptions {
  readonly fileStates: FileStates
  readonly onTrouble: (why: string) => void
}

/** Undefined where there is no git workplace, or nobody asked. */
export async function takeBefore(
  { fileStates, onTrouble }: TurnFilesOptions,
  folder: string,
  order: Asked | undefined,
): Promise<TurnFiles | undefined> {
  if (!order) return undefined
  const taken = await fileStates.take(folder, order.key, order.state).catch((error: unknown) => {
    onTrouble(`The files before the turn could not be kept: ${error}`)
    return null
  })
  return taken ? { ...taken, leftOut: [...taken.leftOut] } : undefined
}

export async function takeAfter(
  options: TurnFilesOptions,
  folder: string,
  order: Asked | undefined,
  before: TurnFiles | undefined,
): Promise<EndFiles | undefined> {
  const after = await takeBefore(options, folder, order)
  if (!after) return undefined
  const since = async (tree: string | undefined) =>
    tree === undefined
      ? null
      : await options.fileStates.changes(after.top, tree, after.state.tree).catch(() => null)
  const changes = await since(before?.top === after.top ? before.state.tree : undefined)
  const total = await since(order?.first)
  return { ...after, changes, ...(total && { total }) }
}
