/**
 * Answers one request about file states as a coordinator does, and ends. Its git may kill it at any
 * call (file-states/git-shim.ts).
 */
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { FileStates } from '../../../src/coordinator/file-states/file-states.ts'
import { answerRequest } from '../../../src/coordinator/worktrees/answer-request.ts'
import { Git } from '../../../src/coordinator/worktrees/git.ts'
import { Occupancy } from '../../../src/coordinator/worktrees/occupancy.ts'
import { systemClock } from '../../../src/platform/time/clock.ts'
import type { CoordinatorRequest } from '../../../src/protocol/processes/coordinator-requests.ts'

export interface FilesTask {
  readonly worktreesFolder: string
  readonly ask: CoordinatorRequest
}

/** Also within the test's own process, with a git that kills nobody. */
export function answerOnce(
  { worktreesFolder, ask }: FilesTask,
  env: Readonly<Record<string, string | undefined>>,
) {
  const git = new Git({ clock: systemClock, env, folder: join(worktreesFolder, '.states') })
  const fileStates = new FileStates(git)
  return answerRequest(
    { git, occupancy: new Occupancy(), fileStates, worktreesFolder, clock: systemClock },
    ask,
  )
}

if (process.env['FILES_TASK'])
  await answerOnce(JSON.parse(await text(process.stdin)) as FilesTask, process.env)
