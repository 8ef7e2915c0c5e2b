/** MCP tools for tasks, approaches, checkpoints and resuming. */
import * as z from 'zod'
import { ProjectPath } from '../../protocol/projects/project.ts'
import { Id } from '../../protocol/text.ts'
import { Approach, ApproachDraft } from '../../protocol/work/approach.ts'
import { CheckpointRequest, SavedCheckpoint } from '../../protocol/work/checkpoint.ts'
import { Missing, NotRestored, workSessionIn } from '../../protocol/work/resume.ts'
import { TaskProgress } from '../../protocol/work/task.ts'
import { resumeFromFile as resume } from '../../server/work/resume-work.ts'
import { recordAgentApproach } from '../../services/work/change-approach.ts'
import { updateTask as updateTaskOf } from '../../services/work/change-task.ts'
import { saveMyCheckpoint } from '../../services/work/end-work-session.ts'
import {
  getResumeContext as contextFor,
  getMyTask as getTaskOf,
} from '../../services/work/queries.ts'
import {
  DecisionsAnswer,
  ResumeContextAnswer,
  resumeContextAnswer,
  TaskAnswer,
} from './resume-context-answer.ts'
import {
  agentTool,
  defineTool,
  reads,
  snakeFields,
  snakeShape,
  writes,
  writesOnce,
} from './tool.ts'

export const getMyTask = agentTool({
  name: 'get_my_task',
  does: getTaskOf,
  title: 'Read your task',
  description:
    'Returns the task that is assigned to you and in progress, or null if there is none, ' +
    'and what people decided about your approvals for it (decisions, with their ' +
    'feedback). get_next_action returns both too; call this to read them again.',
  annotations: reads,
  output: { task: TaskAnswer.nullable(), decisions: DecisionsAnswer },
  run: async (_, { caller, deps, presented: { who } }) => {
    const { task, decisions } = await deps.app.read(getTaskOf, caller, who)
    return { task: task && snakeFields(task), decisions: decisions.map(snakeFields) }
  },
})

const { status, progressPercent, result } = TaskProgress.shape

/** `update_task` (TK): reports progress or the end of a task. */
export const updateTask = agentTool({
  name: 'update_task',
  does: updateTaskOf,
  title: 'Report on your task',
  description:
    'Reports your progress on a task that is assigned to you, or that it is done. Report ' +
    'progress_percent now and then while you work. When it is done, set status to ' +
    'completed and say in result what you did; when it cannot be done, set status to ' +
    'failed and say why. Then call get_next_action.',
  annotations: writesOnce,
  input: {
    taskId: Id.describe('The id of the task, as get_next_action or get_my_task gave it'),
    status: status.describe('completed or failed when it is over; leave it out while you work'),
    progressPercent: progressPercent.describe('How far you are, a whole number from 0 to 100'),
    result: result.describe('What came out of it: text or any JSON'),
  },
  output: { task: TaskAnswer },
  run: async (change, { caller, deps, presented: { who } }) => ({
    task: snakeFields(await deps.app.run(updateTaskOf, { ...caller, ...change }, who)),
  }),
})

const draft = ApproachDraft.shape

/** `record_approach` (AR1): records what worked, what failed, and what could be tried. */
export const recordApproach = agentTool({
  name: 'record_approach',
  does: recordAgentApproach,
  title: 'Record what worked or failed',
  description:
    'Records an approach to your work: verified when you have seen it work, failed when ' +
    'it did not, untried when it could be tried. Whoever resumes this work is told, so ' +
    'that nothing is tried twice in vain. Record one as soon as you know; the same words ' +
    'again are the same approach.',
  annotations: writesOnce,
  input: {
    kind: draft.kind,
    category: draft.category.describe('What it is about, in a word or two'),
    description: draft.description.describe('What was done or could be done, in a sentence'),
    details: draft.details.describe('How exactly: any JSON'),
    evidence: draft.evidence.describe('verified: what shows that it works, any JSON'),
    learnings: draft.learnings.describe('What to remember of it, one sentence each'),
    reusable: draft.reusable.describe('verified: whether it is good for other work too'),
    failureReason: draft.failureReason.describe('failed: why it did not work'),
    error: draft.error.describe('failed: the error that was seen'),
    avoid: draft.avoid.describe(
      'failed: whether nobody should try it again; true unless you say otherwise',
    ),
    priority: draft.priority.describe('untried: high, medium or low'),
    nextToTry: draft.nextToTry.describe('untried: whether it should be tried next'),
    note: draft.note.describe('Anything else'),
  },
  output: { approach: snakeShape(Approach) },
  run: async (input, { caller, deps, presented: { who } }) => ({
    approach: snakeFields(
      await deps.app.run(recordAgentApproach, { ...caller, draft: input }, who),
    ),
  }),
})

const checkpointShape = CheckpointRequest.shape

/** `save_checkpoint` (CK1): saves the state of work in the agent's own words. */
export const saveCheckpoint = agentTool({
  name: 'save_checkpoint',
  does: saveMyCheckpoint,
  title: 'Save the state of your work',
  description:
    'Saves the state of your work, so that it can be resumed if you are interrupted. ' +
    'Call it before a long or risky step and whenever you have learned something that ' +
    'whoever resumes it must know. Tasks, approvals and approaches are saved ' +
    'automatically: put into context_summary what only you know.',
  annotations: writes,
  input: {
    contextSummary: checkpointShape.contextSummary.describe(
      'How the work stands, in a few sentences; it replaces what was said before',
    ),
    currentPhase: checkpointShape.currentPhase.describe(
      'The phase of the work, when it has changed',
    ),
    error: checkpointShape.error.describe('What went wrong, when that is why you save'),
  },
  output: SavedCheckpoint.shape,
  run: async (words, { caller, deps, presented: { who } }) => {
    const saved = await deps.app.run(saveMyCheckpoint, { ...caller, asked: words }, who)
    const path = deps.files.checkpointPath(caller.projectId, saved.workSessionId)
    return {
      path,
      timestamp: saved.checkpoint.at,
      written: await deps.files.written(caller.projectId),
    }
  },
})

/** `get_resume_context` (RS2): returns what is known about interrupted work. */
export const getResumeContext = agentTool({
  name: 'get_resume_context',
  does: contextFor,
  title: 'Read what is known about resumed work',
  description:
    'Returns what is known about the work you have resumed: its state, its task, what ' +
    'failed and must not be tried again (avoid), what worked, what to try next, and what ' +
    'remains. null when your work is new. get_next_action returns it once, with ' +
    'resume_work; call this to read it again.',
  annotations: reads,
  output: { resumeContext: ResumeContextAnswer.nullable() },
  run: async (_, { caller, deps, presented: { who } }) => {
    const context = await deps.app.read(contextFor, caller, who)
    return { resumeContext: context && resumeContextAnswer(context) }
  },
})

const fromFile = { scope: 'manage', on: 'nobody' } as const

/** `resume_from_file` (CK7): resumes work from its files, for a person's own tool. */
export const resumeFromFile = defineTool({
  name: 'resume_from_file',
  does: fromFile,
  title: 'For the owner: continue work from its checkpoint file',
  description:
    'For people’s own tools, with a credential that may manage; agents do not need it. ' +
    'Resumes interrupted work from the state_checkpoint.json at a path on the machine of ' +
    'the server, even if the database knows nothing of it. The file must be in the ' +
    'projects folder of the data folder or in the folder of a project. Called again ' +
    'while that work runs, it answers the same work session.',
  annotations: writesOnce,
  input: {
    path: ProjectPath.describe('Absolute path of a state_checkpoint.json, or of its folder'),
  },
  output: {
    ['sessionId']: z.string(),
    projectId: z.string(),
    parentSessionId: z.string().nullable(),
    begun: z.boolean().describe('false: it was going on already'),
    notRestored: z.array(NotRestored),
    missing: z.array(Missing).describe('What is needed before anything starts'),
  },
  run: async ({ path }, { deps, presented: { who } }) => {
    await deps.app.require(fromFile, {}, who)
    const { begun, resumed } = await resume(deps, who, path)
    const { id, projectId, parentSessionId } = workSessionIn(resumed)
    return {
      ['sessionId']: id,
      projectId,
      parentSessionId,
      begun,
      notRestored: resumed.notRestored,
      missing: resumed.missing,
    }
  },
})
