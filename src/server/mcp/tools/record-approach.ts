/** `record_approach` (AR1): an agent writes down what worked, what failed, and what could be tried. */
import * as z from 'zod'
import { Approach, ApproachDraft } from '../../../protocol/approach.ts'
import { noteApproach } from '../../../services/note-approach.ts'
import { agentSessionToken } from '../arguments.ts'
import { snakeFields, snakeShape } from '../snake-case.ts'
import { defineTool, writesOnce } from '../tool.ts'

const draft = ApproachDraft.shape

export const recordApproach = defineTool({
  name: 'record_approach',
  title: 'Record what worked or failed',
  description:
    'Writes down an approach to the work you are at: verified when you have seen it work, failed when it did not, untried when it ' +
    'could be tried. Whoever takes this work up is told, so that nothing is tried in vain twice. Record one as soon as you know; ' +
    'the same words again are the same approach.',
  annotations: writesOnce,
  input: z.strictObject({
    session_token: agentSessionToken,
    kind: draft.kind,
    category: draft.category.describe('What it is about, in a word or two'),
    description: draft.description.describe('What was done or could be done, in a sentence'),
    details: draft.details.describe('How exactly: any JSON'),
    evidence: draft.evidence.describe('verified: what shows that it works, any JSON'),
    learnings: draft.learnings.describe('What to remember of it, one sentence each'),
    reusable: draft.reusable.describe('verified: whether it is good for other work too'),
    failure_reason: draft.failureReason.describe('failed: why it did not work'),
    error: draft.error.describe('failed: the error that was seen'),
    avoid: draft.avoid.describe('failed: whether nobody should try it again; true unless you say otherwise'),
    priority: draft.priority.describe('untried: high, medium or low'),
    next_to_try: draft.nextToTry.describe('untried: whether it should be tried next'),
    note: draft.note.describe('Anything else'),
  }),
  output: z.object({ approach: snakeShape(Approach) }),
  run: async ({ session_token, failure_reason, next_to_try, ...words }, call) => {
    const caller = await call.doors.agents.caller(call.presented, session_token)
    const said = { ...words, failureReason: failure_reason, nextToTry: next_to_try }
    return { approach: snakeFields(await call.doors.store.run(noteApproach, { ...caller, draft: said })) }
  },
})
