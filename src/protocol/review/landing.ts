/** Landing the work of a conversation (LD): its plan, what became of it, and the routes. */
import * as z from 'zod'
import { refusedAs } from '../notices.ts'
import { route } from '../route.ts'
import { longText, Time } from '../text.ts'
import { BranchName } from '../worktrees/worktree.ts'
import { ConflictFile, LandingStep, LandingWay, landingBlocks } from './landing-requests.ts'

const one = '/api/conversations/{key}'

const Message = longText(10_000).refine((text) => text.trim() !== '', refusedAs('saySomething'))

export const LandingPlan = z.object({
  plan: z.string().describe('Names exactly this plan; POST refuses another (`plan_changed`)'),
  how: LandingWay,
  branch: z.string(),
  into: z.string().nullable(),
  message: z.string().describe('Proposed: the title and the prompts'),
  blocks: z.array(z.enum(landingBlocks)).describe('Why it cannot be carried out now'),
  about: z.record(z.string(), z.string()).describe('What each block is about'),
  notes: z.array(z.string()),
  conflicts: z.array(ConflictFile),
  steps: z.array(LandingStep),
  command: z.string().nullable().describe('The same by hand'),
})
export type LandingPlan = z.output<typeof LandingPlan>

const StepState = z.enum(['planned', 'begun', 'done', 'failed'])

export const Landing = z.object({
  id: z.string(),
  how: LandingWay,
  state: z.enum(['running', 'done', 'failed', 'undoing', 'undone']),
  branch: z.string(),
  into: z.string().nullable(),
  commit: z.string().nullable(),
  why: z.string().nullable(),
  steps: z.array(z.looseObject({ do: z.string(), state: StepState, result: z.unknown() })),
  by: z.string(),
  at: Time,
  endedAt: Time.nullable(),
})
export type Landing = z.output<typeof Landing>

export const landingRoutes = {
  planLanding: route({
    method: 'GET',
    path: `${one}/land`,
    summary: 'Plan to land the work of a conversation: every step, and what stands in the way',
    query: z.object({ how: LandingWay.default('merge'), into: BranchName.optional() }),
    answer: LandingPlan,
  }),
  land: route({
    method: 'POST',
    path: `${one}/land`,
    summary:
      'Land the work of a conversation by the plan that was looked at, or by the present one; ' +
      'each step is recorded before it runs. Conflicts touch nothing',
    body: z.strictObject({
      how: LandingWay.default('merge'),
      message: Message.optional(),
      into: BranchName.optional(),
      plan: z.string().max(200).optional(),
    }),
    answer: Landing,
  }),
  resolveConflict: route({
    method: 'POST',
    path: `${one}/land/resolve`,
    summary: 'Let the agent resolve the conflicts of a landing: a turn with both sides begins',
    body: z.strictObject({ into: BranchName.optional() }).optional(),
    status: 201,
    answer: z.object({ turnId: z.string(), files: z.array(z.string()) }),
  }),
  undoLanding: route({
    method: 'POST',
    path: `${one}/land/undo`,
    summary: 'Undo the last landing while its branch is where it put it and nothing was pushed',
    answer: Landing,
  }),
  listLandings: route({
    method: 'GET',
    path: `${one}/landings`,
    summary: 'List what was landed of a conversation and what became of each step, newest first',
    answer: z.object({ items: z.array(Landing) }),
  }),
}
