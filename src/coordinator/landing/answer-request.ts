/** Answers the server's requests about landings on this machine (LD). */
import { realpath } from 'node:fs/promises'
import type { CoordinatorRequest } from '../../protocol/processes/coordinator-requests.ts'
import type { WorktreeContext } from '../worktrees/answer-request.ts'
import type { OurWorktree } from '../worktrees/repository.ts'
import { planLanding } from './plan-landing.ts'
import { runStep, undoMove } from './run-step.ts'

export type LandingRequest = Extract<CoordinatorRequest, { kind: `land-${string}` }>

/** One thing at a time in each repository: two landings into one branch come after each other. */
export const answerAboutLanding = (
  { git, worktreesFolder, clock, landing }: WorktreeContext,
  ask: LandingRequest,
  open: () => Promise<OurWorktree>,
): Promise<unknown> =>
  git.serialize(`land ${ask.top}`, async () => {
    const worktree = await open()
    const { repository } = worktree
    return git.serialize(`land ${repository.facts.commonFolder}`, async () => {
      switch (ask.kind) {
        case 'land-plan':
          return planLanding(worktree, ask, await realpath(worktreesFolder))
        case 'land-step':
          return runStep(worktree, ask, landing && { ...landing, git, clock })
        case 'land-undo':
          return undoMove(repository, ask)
      }
    })
  })
