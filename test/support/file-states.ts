/**
 * A repository whose states are taken by real git, and everything below a folder as bytes, to
 * compare exactly.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { FileStates, type TakenState } from '../../src/coordinator/file-states/file-states.ts'
import type { Git } from '../../src/coordinator/worktrees/git.ts'
import type { FileState, RestoreAnswer } from '../../src/protocol/worktrees/file-state.ts'
import { makeRepository, type TestRepository, testGit } from './git-repository.ts'

export const key = 'web:project.agent'

export interface StateScene extends TestRepository {
  readonly states: FileStates
  readonly privateFolder: string
  take(): Promise<TakenState>
  rewind(
    target: FileState,
    expected: FileState | null,
    confirmed?: string | null,
    id?: string,
  ): Promise<RestoreAnswer>
  files(): Record<string, string>
}

let rewinds = 0

export function stateScene(
  git: Git = testGit(),
  repository: TestRepository = makeRepository(),
): StateScene {
  const states = new FileStates(git)
  return {
    ...repository,
    states,
    privateFolder: dirname(git.folder),
    take: async () => {
      const taken = await states.take(repository.folder, key)
      if (!taken) throw new Error('no state was taken')
      return taken
    },
    rewind: async (target, expected, confirmed = null, id = `rewind-${++rewinds}`) => {
      const answer = await states.restore(repository.folder, {
        id,
        key,
        target,
        expected,
        confirmed,
      })
      if (!answer) throw new Error('no workplace')
      return answer
    },
    files: () => filesBelow(repository.folder),
  }
}

/** By name as latin1: the mode and the bytes; nothing of git's own. */
export function filesBelow(top: string): Record<string, string> {
  const found: Record<string, string> = {}
  const visit = (folder: Buffer, name: string): void => {
    for (const entry of readdirSync(folder, { encoding: 'buffer' })) {
      const path = Buffer.concat([folder, Buffer.from('/'), entry])
      const known = name + entry.toString('latin1')
      if (known === '.git') continue
      const there = lstatSync(path)
      if (there.isDirectory()) visit(path, `${known}/`)
      else if (there.isSymbolicLink())
        found[known] = `link ${readlinkSync(path, { encoding: 'buffer' }).toString('latin1')}`
      else if (there.isFile())
        found[known] = `${there.mode & 0o111 ? 'x' : '-'} ${readFileSync(path).toString('latin1')}`
    }
  }
  visit(Buffer.from(top), '')
  return Object.fromEntries(Object.entries(found).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
