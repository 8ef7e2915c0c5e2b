/** `save_checkpoint` (CK1): an agent saves the state of its work, in its own words. */
import * as z from 'zod'
import { CheckpointRequest, SavedCheckpoint } from '../../../protocol/checkpoint.ts'
import { saveMyCheckpoint } from '../../../services/save-my-checkpoint.ts'
import { agentSessionToken } from '../arguments.ts'
import { defineTool, writes } from '../tool.ts'

const asked = CheckpointRequest.shape

export const saveCheckpoint = defineTool({
  name: 'save_checkpoint',
  title: 'Save the state of your work',
  description:
    'Saves how your work stands, so that it can be taken up should you be interrupted. Call it before a long or risky step and whenever ' +
    'you have learned something that whoever goes on must know. Tasks, approvals and approaches are saved by themselves: say in ' +
    'context_summary what only you know.',
  annotations: writes,
  input: z.strictObject({
    session_token: agentSessionToken,
    context_summary: asked.contextSummary.describe('How the work stands, in a few sentences; it replaces what was said before'),
    current_phase: asked.currentPhase.describe('The phase of the work, when it has changed'),
    error: asked.error.describe('What went wrong, when that is why you save'),
  }),
  output: SavedCheckpoint,
  run: async (args, call) => {
    const { doors } = call
    const caller = await doors.agents.caller(call.presented, args.session_token)
    const { context_summary: contextSummary, current_phase: currentPhase, error } = args
    const saved = await doors.store.run(saveMyCheckpoint, { ...caller, asked: { contextSummary, currentPhase, error } })
    const path = doors.files.checkpointPath(caller.projectId, saved.workSessionId)
    return { path, timestamp: saved.checkpoint.at, written: await doors.files.written(caller.projectId) }
  },
})
